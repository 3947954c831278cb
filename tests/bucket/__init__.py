"""Tests of contentsvc.bucket."""
