"""Background work: clocks, absence, bookkeeping, the lobby's index, archiving, pairing."""
