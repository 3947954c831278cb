"""Tests of contentsvc.push."""
