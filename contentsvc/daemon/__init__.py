"""A process: how it starts and stops, the parent of workers, the log."""
