"""Tests of contentsvc.framework.db."""
