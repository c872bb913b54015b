"""Headings as questions, and questions that a language model writes and is asked back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import ConfigError, ModelTimeoutError
from decoct.llm.base import Request
from decoct_lab.train.reader.headings import heading_examples, passages_of
from decoct_lab.train.reader.questions import PassageToAsk, write_questions
from decoct_lab.train.reader.silver import silver_examples
from decoct_testing.scripted import ScriptedLLM

HEADINGS = ("Creating forms from models", "Testing the forms in place", "Short", "Rendering the fields by hand")


def manual(folder: Path, name: str = "forms.md", sections: Callable[[str], str] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    told = sections or (lambda heading: f"About number {len(heading)}. " * 12)
    text = "".join(f"# {heading}\n\n{told(heading)}\n\n" for heading in HEADINGS)
    (folder / name).write_text(text, "utf-8")
    return folder


def test_a_heading_is_asked_of_its_own_section_and_of_another(tmp_path: Path) -> None:
    made = heading_examples({"docs": manual(tmp_path / "docs")}, 10, 0)
    own, others = made[::2], made[1::2]
    assert len(own) == len(others) == 3  # the heading of one word asks nothing
    for one, other in zip(own, others, strict=True):
        (heading,) = [heading for heading in HEADINGS if heading in one.question]
        assert one.text == (f"About number {len(heading)}. " * 12).strip()
        assert (one.kind, one.relevance, one.answers) == ("heading", True, None)
        assert (other.kind, other.relevance, other.answers) == ("other-section", False, False)
        assert other.question == one.question
        assert other.text != one.text
        assert other.document == one.document
        assert not any(label for *_, label in other.sentences)


def test_at_most_so_many_headings_of_a_folder(tmp_path: Path) -> None:
    folder = manual(manual(tmp_path / "docs"), "more.md")
    assert len(heading_examples({"docs": folder}, 2, 0)) == 4
    assert heading_examples({"docs": folder}, 10, 5) == heading_examples({"docs": folder}, 10, 5)


def test_sections_that_are_all_alike_ask_nothing(tmp_path: Path) -> None:
    folder = manual(tmp_path / "docs", sections=lambda _: "This page is not written yet, come back. " * 6)
    assert heading_examples({"docs": folder}, 10, 0) == []


def test_files_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    folder = manual(tmp_path / "docs")
    (folder / "broken.gz").write_bytes(b"\x1f\x8b no gzip")
    assert len(heading_examples({"docs": folder}, 10, 0)) == 6
    assert heading_examples({"docs": tmp_path / "nowhere"}, 10, 0) == []


def test_passages_to_ask_about_stand_beside_another_of_their_document(tmp_path: Path) -> None:
    (passage,) = passages_of([manual(tmp_path / "docs")], 3)
    assert passage.origin == "docs"
    assert passage.document.startswith("docs/")
    assert passage.other is not None
    assert passage.other != passage.text


OPENED, TOLLS = "The Harrow Bridge was opened in 1934 by the mayor.", "Tolls on it ended in 1960, to much joy."
WRITTEN = {"question": "Since when can one cross the Harrow Bridge?", "answer": "1934"}


def asking(written: dict[str, Any] | str, **answers: str | None) -> Callable[[Request], str]:
    """Writes `written`; asked back, it answers with the word of a passage's first word."""

    def reply(request: Request) -> str:
        words = request.messages[-1].content
        if "Question:" not in words and WRITTEN["question"] not in words:
            return written if isinstance(written, str) else json.dumps(written)
        return json.dumps({"answer": answers["here"] if OPENED in words else answers.get("there")})

    return reply


def passage(text: str = OPENED, other: str | None = TOLLS) -> PassageToAsk:
    return PassageToAsk("docs", "docs/bridge", "Bridge", text, other)


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_question_answered_alike_when_asked_back_is_kept_with_its_hard_negative(tmp_path: Path) -> None:
    out = tmp_path / "silver.jsonl"
    assert write_questions([passage()], ScriptedLLM(asking(WRITTEN, here="1934")), out, say=lambda _: None) == 1
    first, second = rows(out)
    assert (first["text"], first["answer"], first["question"]) == (OPENED, "1934", WRITTEN["question"])
    assert (second["text"], second["answer"]) == (TOLLS, None)
    assert [one.answers for one in silver_examples(out)] == [True, False]


@pytest.mark.parametrize(
    ("written", "here", "there", "kept"),
    [
        (WRITTEN, "1934", "1960", 1),  # the other passage answers too: it is no negative
        (WRITTEN, "the mayor", None, 0),
        (WRITTEN, None, None, 0),
        ({**WRITTEN, "question": "Tell me of 1933."}, "1934", None, 0),  # no question
        ({**WRITTEN, "question": "What happened in 1934?"}, "1934", None, 0),  # it holds its own answer
        ({**WRITTEN, "answer": " "}, "1934", None, 0),
        ({"question": "Why?"}, "1934", None, 0),
        ("no JSON", "1934", None, 0),
    ],
)
def test_what_does_not_pass_is_not_kept(
    tmp_path: Path, written: dict[str, Any] | str, here: str | None, there: str | None, kept: int
) -> None:
    out = tmp_path / "silver.jsonl"
    llm = ScriptedLLM(asking(written, here=here, there=there))
    assert write_questions([passage()], llm, out, say=lambda _: None) == kept
    assert len(rows(out)) == kept


def test_every_passage_is_asked_about_also_the_last_few(tmp_path: Path) -> None:
    passages = [passage(f"{OPENED} Note {n}.", None) for n in range(6)]
    llm, told = ScriptedLLM(asking(WRITTEN, here="1934")), list[str]()
    assert write_questions(passages, llm, tmp_path / "s.jsonl", wave=4, say=told.append) == 6
    assert told == ["4 passages, 4 questions kept", "6 passages, 6 questions kept"]


def test_a_stopped_run_goes_on_with_what_was_not_asked(tmp_path: Path) -> None:
    out = tmp_path / "silver.jsonl"
    write_questions([passage()], ScriptedLLM(asking(WRITTEN, here="1934")), out, say=lambda _: None)
    again = ScriptedLLM(asking(WRITTEN, here="1934", there="1960"))
    # The other passage stands in the file as one that does not answer: it was never asked about itself.
    write_questions([passage(), passage(TOLLS, None)], again, out, say=lambda _: None)
    asked = [one.messages[-1].content for one in again.requests]
    assert OPENED not in asked[0]
    assert TOLLS in asked[0]


def test_a_torn_line_is_named(tmp_path: Path) -> None:
    out = tmp_path / "silver.jsonl"
    out.write_text('{"text": "a", "answer": "b"}\n{"text": "c", "ans')
    with pytest.raises(ConfigError, match=r"silver\.jsonl:2 is no question that was written here"):
        write_questions([passage()], ScriptedLLM([]), out)


def test_a_call_that_fails_is_left_out_and_is_no_proof_of_silence(tmp_path: Path) -> None:
    out = tmp_path / "silver.jsonl"
    failing = ScriptedLLM([], {0: ModelTimeoutError("too slow")})
    assert write_questions([passage()], failing, out, say=lambda _: None) == 0
    half = ScriptedLLM(asking(WRITTEN, here="1934"), {2: ModelTimeoutError("too slow")})  # asked of the other passage
    assert write_questions([passage()], half, out, say=lambda _: None) == 1
    assert [row["text"] for row in rows(out)] == [OPENED]
