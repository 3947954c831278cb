"""The Python client's part of progress data."""
