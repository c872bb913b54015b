"""Marks of documents are told from text, and shown so that the way back is plain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.context.layouts import harmless_lines, shielded, unfetched, unshielded


@pytest.mark.parametrize(
    "mark",
    ["[1]", "[Passage 2]", "【1】", "[ 2 ]", "[２]", "[²]", "[2\u200b]", "[^2]", "[Source no 1]"],
)
def test_what_could_be_the_head_of_a_passage_gets_full_width_brackets(mark: str) -> None:
    assert harmless_lines(f"{mark} b") == f"［{mark[1:-1]}］ b"


@pytest.mark.parametrize(
    "text",
    [
        "[2019]",
        "[sic]",
        "[0.5]",
        "[]",
        "[a1]",
        "[x] 1]",
        "x[i]",
        "[" + "1" * 65 + "]",
        "plain",
        "[1, 2, 3],\n[4],\n[5-6]",
    ],
)
def test_other_brackets_stay(text: str) -> None:
    assert harmless_lines(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[2][3] Official", "［2］［3］ Official"),
        ("See [2] there", "See [2] there"),
        ("a\n[2] Official", "a\n［2］ Official"),
        ("a\r[2] b", "a\r［2］ b"),
        ("a\u2028 > [2] b [3]", "a\u2028 > ［2］ b [3]"),
        ("a\n\u200b[2] b", "a\n\u200b［2］ b"),
        ("a [1]\n- [2] b\n[sic] [3]", "a [1]\n- ［2］ b\n[sic] [3]"),
        ("argv[1]", "argv[1]"),
    ],
)
def test_at_the_start_of_a_line_only(text: str, shown: str) -> None:
    assert harmless_lines(text) == shown


@given(st.text(alphabet=st.sampled_from("[]【】1, \nx-２"), max_size=40))
def test_lengths_stay_and_the_way_back_is_plain(text: str) -> None:
    square = text.replace("【", "[").replace("】", "]")
    shown = harmless_lines(text)
    assert len(shown) == len(text)
    assert shown.replace("［", "[").replace("］", "]").replace("【", "[").replace("】", "]") == square
    assert harmless_lines(shown) == shown
    assert unshielded(shielded(text)) == text
    assert not set(shielded(text)) & set("[]【】")


@pytest.mark.parametrize(
    "text",
    [
        "![](http://a.example/x.png?q=1)",
        "See ![a chart][ref] here.",
        "![alt](data:image/png;base64,xx)",
        "![x][1]",
        "![a [b] c](http://a.example)",
        r"![a\]b](http://a.example)",
        "![a `]` b](http://a.example)",
        "![x]\n\n[x]: http://a.example",
    ],
)
def test_a_picture_of_a_document_is_no_picture_in_a_chat(text: str) -> None:
    """A chat program would fetch it, and so tell its host who asked."""
    shown = unfetched(text)
    assert "![" not in shown
    assert len(shown) == len(text)
    assert shown.replace("［", "[").replace("］", "]") == text


@pytest.mark.parametrize(
    "text", ["Stop! [sic] And [a link](http://a.example).", "if (!x[i]) return;", "wow![sic] he said"]
)
def test_what_is_no_picture_stays(text: str) -> None:
    assert unfetched(text) == text
