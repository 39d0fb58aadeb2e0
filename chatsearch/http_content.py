"""What an answer's headers mean: how its content is packed, and how long to wait."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class PackingError(ValueError):
    """The content is not packed as it says; goes on as the end of a sentence."""


class Packing:
    """Unpacks gzip, zlib or nothing chunk by chunk, never more than is asked for: a few bytes can stand for gigabytes."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise PackingError(f"is packed as “{name[:40]}”, which was not asked for")
        self._unpacker = zlib.decompressobj(wbits=47) if name not in ("", "identity") else None  # 47: gzip or zlib

    def unpack(self, chunk: bytes, longest: int) -> bytes:
        """At most `longest` bytes (from 1) of the unpacked chunk. Raises PackingError."""
        if self._unpacker is None:
            return chunk[:longest]
        try:
            return self._unpacker.decompress(chunk, longest)
        except zlib.error:
            raise PackingError("is packed, and damaged") from None

    def finish(self) -> None:
        """Raises PackingError when the end is missing."""
        if self._unpacker is not None and not self._unpacker.eof:
            raise PackingError("is packed, and cut off")


def retry_after(value: str) -> float | None:
    """Seconds to wait, from a number or a date; None when it says nothing that can be read."""
    if value.strip().isascii() and value.strip().isdigit():
        return float(value.strip()[:9])
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
