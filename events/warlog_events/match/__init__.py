"""What a match is and what may happen in it: values and functions.

Nothing here talks to Redis, reads the clock or waits.
"""
