"""Tests of the framework. They need nothing of the product."""
