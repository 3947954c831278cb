"""What a daemon does by itself."""
