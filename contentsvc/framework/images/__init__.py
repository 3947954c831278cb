"""Smaller images, made in a process of its own."""
