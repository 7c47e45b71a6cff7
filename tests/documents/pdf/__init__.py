"""Tests of the PDF reader, step by step and as a whole."""
