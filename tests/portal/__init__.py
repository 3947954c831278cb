"""The portal in a real browser, and its texts and types."""
