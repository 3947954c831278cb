"""Tests of contentsvc.config."""
