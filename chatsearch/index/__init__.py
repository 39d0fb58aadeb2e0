"""Building and searching the indexes of this machine: documents found by their words, their meaning, or both."""
