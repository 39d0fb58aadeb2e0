"""How documents are put in order: what the re-rankers under modules/rerankers share, one idea per file."""
