"""The small world of `contentsvc demo`."""
