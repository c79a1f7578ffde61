"""Bodies that no address of the API takes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

KEY = "t0.ally0"
FIELDS = ("key", "move", "text", "type", "card", "clan", "rank", "game", "seats", "name", "email", "options", "clock")
WORDS = (*FIELDS, "turn_s", "language", "zone", "ChooseAlly", "Call", "Declare", "F1", KEY, "hogen", "a@example.org")
words = st.text(max_size=20) | st.sampled_from(WORDS)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(words, inner, max_size=5),
    max_leaves=15,
)
bodies = values.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60)
