"""The `contentsvc` command: what an operator types."""
