"""The encoding of a text file: UTF-8 and UTF-16 with or without a mark, else the Windows code page of western Europe."""

from __future__ import annotations

import codecs
from typing import BinaryIO

_BLOCK = 1 << 20
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def detect_encoding(stream: BinaryIO) -> str:
    """The encoding of `stream`, read from its place to its end: a mark decides, then whether it is valid UTF-8."""
    block = stream.read(_BLOCK)
    marked = next((name for mark, name in _MARKS if block.startswith(mark)), None)
    if marked:
        return marked
    if _looks_like_utf16(block):
        return "utf-16-le" if block[1::2].count(0) > block[0::2].count(0) else "utf-16-be"
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block:
            decoder.decode(block)
            block = stream.read(_BLOCK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _looks_like_utf16(block: bytes) -> bool:
    """Western text in UTF-16 has a NUL in nearly every pair of bytes, and always at the same place of it."""
    even, odd = block[0::2].count(0), block[1::2].count(0)
    pairs = max(len(block) // 2, 1)
    return max(even, odd) > 0.4 * pairs and min(even, odd) < 0.05 * pairs
