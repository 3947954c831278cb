"""Tests of contentsvc.framework.identity."""
