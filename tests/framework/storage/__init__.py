"""Tests of contentsvc.framework.storage."""
