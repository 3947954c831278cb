"""Tests of what a daemon is made of."""
