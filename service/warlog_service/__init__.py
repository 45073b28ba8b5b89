"""Who may ask, and over which URL: the HTTP service over `warlog_events`."""
