"""Tests of contentsvc.framework.postgres."""
