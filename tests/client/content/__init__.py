"""The Python client's part of content."""
