"""What is kept for players: accounts, the ledger of points and gold, layouts, scenarios, quotas."""
