"""The hot path's Redis client: one connection, everything queued in one tick of the loop in one write."""

class Pipe:
    ready: bool
