"""Tests of contentsvc.daemon."""
