"""A whole Warlog on one seeded event loop with its own time, beside a real Redis: docs/SIMULATION.md."""
