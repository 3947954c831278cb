"""Servers and processes that tests of several layers use."""
