"""Seeded storms over a simulated fleet: the production classes on virtual time, and what must hold whatever happens."""
