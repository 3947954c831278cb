"""The domains: each module has the families of one, and installs all that is its own."""
