"""Tests of contentsvc.identity."""
