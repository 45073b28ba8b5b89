"""Redis: connections, scripts, keys, and the store of events on them."""
