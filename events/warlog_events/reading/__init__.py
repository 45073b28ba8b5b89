"""What readers get: the past, the view of each reader, history, export, feeds."""
