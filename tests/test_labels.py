"""Cells that hold several values."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.labels import labels_of


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        (["Arts/Music", " Reference "], ["Arts/Music", "Reference"]),
        (np.array(["Arts", None], dtype=object), ["Arts"]),
        (("a", "b"), ["a", "b"]),
        ('["Arts, Crafts", "B"]', ["Arts, Crafts", "B"]),
        ("Arts, Science ,, ", ["Arts", "Science"]),
        ("[Arts, broken", ["Arts", "broken"]),
        ("", []),
        (None, []),
        (float("nan"), []),
        (pd.NA, []),
        ([], []),
        (7, ["7"]),
    ],
)
def test_every_way_of_writing_several_values(cell: object, labels: list[str]) -> None:
    assert labels_of(cell) == labels


@given(
    st.one_of(
        st.text(),
        st.lists(st.one_of(st.none(), st.text(), st.integers())),
        st.floats(),
        st.dictionaries(st.text(), st.integers()),
    )
)
def test_nothing_makes_it_fail_and_json_reads_like_the_list(cell: object) -> None:
    labels = labels_of(cell)
    assert all(label == label.strip() != "" for label in labels)
    if isinstance(cell, list):
        assert labels_of(json.dumps(cell)) == labels
