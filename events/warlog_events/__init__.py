"""What happened, and how it is kept: matches as events in Redis. `match.execute` is the write path, `store` what it writes to."""
