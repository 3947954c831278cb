"""The operations: one class per family (spec §4), and the errors they name."""
