"""The operations: one class per family (conventions#requests), and the errors they name."""
