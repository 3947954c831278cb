"""The test suite of contentsvc, run by trial."""
