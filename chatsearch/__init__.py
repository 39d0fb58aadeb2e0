"""chatsearch turns a collection of documents into a search engine you talk to."""

__version__ = "0.1.0"
