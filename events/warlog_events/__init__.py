"""What happened, and how it is kept: matches as events in Redis. Start with `match.py`, the write path."""
