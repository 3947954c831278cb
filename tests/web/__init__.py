"""Tests of contentsvc.web: real requests over a transport in memory."""
