"""The `contentsvc` command, for operators."""
