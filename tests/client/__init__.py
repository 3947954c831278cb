"""Tests of contentsvc.client."""
