"""What happened, and how it is kept: matches as events in Redis. Start with `matches.py`, the write path."""
