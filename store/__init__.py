"""What is true: records, life cycle, leases, the log and the inventory. It knows nobody above it."""
