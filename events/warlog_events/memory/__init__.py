"""Matches kept in memory, their snapshots, the archive, and the comparison with what is stored."""
