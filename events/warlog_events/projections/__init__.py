"""Read models across matches, built from the buckets' activity, each rebuildable at any time."""
