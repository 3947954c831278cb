"""Tests of contentsvc.client.social."""
