"""Tests of contentsvc.db."""
