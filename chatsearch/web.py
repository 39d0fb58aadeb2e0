"""Addresses that a person may be sent to: http or https, with a host; whatever a document says, nothing raises here."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_web(url: str) -> bool:
    """Whether it is an http or https address with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def host(url: str) -> str:
    """The host of a web address without `www.`; empty for anything else."""
    return (urlsplit(url).hostname or "").removeprefix("www.") if is_web(url) else ""
