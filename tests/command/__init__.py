"""Tests of contentsvc.command."""
