"""Token ranges from spellings."""

from hypothesis import given
from hypothesis import strategies as st

from decoct.llm.base import ranges


def test_by_hand() -> None:
    assert ranges("añb", [b"a", b"\xc3", b"\xb1", b"b"]) == [(0, 1), (1, 2), (1, 2), (2, 3)]
    assert ranges("ab", [b" a", b"b"]) == [(0, 1), (1, 2)]
    assert ranges("a🎈b", [b"a", "\ufffd".encode(), "\ufffd".encode(), b"b"]) == [(0, 1), (1, 2), (1, 2), (2, 3)]
    assert ranges("", []) == []


@given(st.text(max_size=30), st.lists(st.integers(1, 5), min_size=60, max_size=60))
def test_any_cut_of_the_bytes(text: str, sizes: list[int]) -> None:
    data = text.encode("utf-8", "ignore")
    pieces: list[bytes] = []
    text = data.decode()
    while data:
        pieces.append(data[: sizes[len(pieces) % 60]])
        data = data[len(pieces[-1]) :]
    found = ranges(text, pieces)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert found == sorted(found)
    assert {i for start, end in found for i in range(start, end)} == set(range(len(text)))
