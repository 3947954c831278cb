"""Tests of contentsvc.postgres."""
