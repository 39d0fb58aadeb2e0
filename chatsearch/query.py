"""What of a typed query is searched for."""

from __future__ import annotations

import unicodedata

from chatsearch.errors import InputError

_CONTROL = ("Cc", "Cs")


def checked_query(query: str, longest: int) -> str:
    """The query without outer white space and control characters. Raises InputError when nothing is left or it is too long."""
    # format characters stay: Persian and emoji are written with joiners
    kept = (one for one in query if one.isspace() or unicodedata.category(one) not in _CONTROL)
    cleaned = "".join(" " if one.isspace() else one for one in kept).strip()
    if not any(one.isprintable() and not one.isspace() for one in cleaned):
        raise InputError("The query is empty. Type what you are looking for.")
    if len(cleaned) > longest:
        raise InputError(
            f"The query has {len(cleaned):,} characters; at most {longest:,} are searched "
            "(setting CHATSEARCH_MAX_QUERY_CHARACTERS). Shorten it to the question itself."
        )
    return cleaned
