"""Leaves: they know nothing of the service, and every layer may import them."""
