"""SQL of progress data."""
