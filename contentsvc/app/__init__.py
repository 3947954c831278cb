"""A daemon: what it is made of."""
