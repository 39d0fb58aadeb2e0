"""Values as JSON that come back equal and of the same type: never pickle, nothing that could run code when it is read."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from chatsearch.store.exact_types import PACKED_TYPES, UNPACKED_TYPES

log = logging.getLogger(__name__)

TAG = "~"
_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def dumps(value: object) -> bytes:
    """JSON in UTF-8 of None, numbers (NaN too), text (lone surrogates too), lists, tuples, sets, dicts with any keys, bytes,
    dates, Decimal, UUID, and the scalars and arrays of NumPy and pandas, nested at will.

    A value of a class that is derived from one of these comes back as the base class; any other as its text, which is logged.
    """
    return json.dumps(_tagged(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def loads(written: bytes) -> Any:
    """What `dumps` wrote. Raises ValueError, KeyError or TypeError when it is something else."""
    return json.loads(written.decode("utf-8", "surrogatepass"), object_hook=_untagged)


def _tagged(value: object) -> object:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, list):
        return value if _AS_THEY_ARE.issuperset(map(type, value)) else [_tagged(one) for one in value]
    if isinstance(value, Mapping):
        return _tagged_mapping(value)
    for known in kind.__mro__:
        if known in PACKED_TYPES:
            name, pack = PACKED_TYPES[known]
            return {TAG: name, "v": _tagged(pack(value))}
    return _plain_base(value)


def _tagged_mapping(value: Mapping[Any, object]) -> object:
    if TAG not in value and all(type(key) is str for key in value):
        return {key: _tagged(one) for key, one in value.items()}
    return {TAG: "dict", "v": [[_tagged(key), _tagged(one)] for key, one in value.items()]}


def _plain_base(value: object) -> object:
    """An enumeration of text or numbers is one; anything else its text."""
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    log.warning("a value of the type %s is kept as its text", type(value).__qualname__)
    return str(value)


def _untagged(read: dict[str, Any]) -> object:
    if TAG not in read:
        return read
    return dict(read["v"]) if read[TAG] == "dict" else UNPACKED_TYPES[read[TAG]](read["v"])
