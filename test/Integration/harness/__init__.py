"""Shared code of the integration tests: programs, oracles and checks."""
