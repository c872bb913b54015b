"""Examples for the small reader: what is marked is there, what is silent is silent, and the split never changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from decoct.errors import ConfigError
from decoct_lab.train.reader.boolq_format import boolq_examples
from decoct_lab.train.reader.collect import Sources, collect
from decoct_lab.train.reader.example import ReaderExample, occurrences, part_of, read, write
from decoct_lab.train.reader.negatives import cut, shortened, substituted, swapped
from decoct_lab.train.reader.silver import silver_examples
from decoct_lab.train.reader.squad_format import squad_examples

TEXT = "The Harrow Bridge crosses the Lune. It was opened in 1934 by the mayor. Tolls ended in 1960."


def example(question: str = "When was the Harrow Bridge opened?", number: int = 0) -> ReaderExample:
    spans = occurrences(TEXT, ["1934"])
    sentences = ((0, 35, False), (36, 71, True), (72, 92, False))
    return ReaderExample(
        "made", "gold", f"made/{number}", question, "Harrow Bridge", TEXT, spans, answers=True, relevance=True,
        sentences=sentences, aliases=("1934",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("aliases", "found"),
    [
        (["1934"], ["1934"]),
        (["opened", "It was opened"], ["It was opened"]),
        (["34"], []),
        (["HARROW  bridge."], ["Harrow Bridge"]),
        ([""], []),
    ],
)
def test_answers_are_found_as_whole_words_the_widest_of_each_place(aliases: list[str], found: list[str]) -> None:
    assert [TEXT[a:b] for a, b in occurrences(TEXT, aliases)] == found


def test_places_in_the_evidence_come_before_others() -> None:
    assert occurrences("1934 was wet. It opened in 1934.", ["1934"], [(14, 32)]) == ((27, 31),)


def test_a_document_stays_on_its_side() -> None:
    sides = {part_of(f"nq-gold/{number}") for number in range(60)}
    assert sides == {"train", "dev"}
    # These two are written down: an example that changed its side would be trained on after it was reported on.
    assert [part_of(name) for name in ("hotpotqa/Berlin", "covidqa/630")] == [part_of("hotpotqa/Berlin"), "train"]


def test_a_question_about_another_year_or_name_is_not_answered() -> None:
    asked = [
        example("Who opened the bridge in 1934?"),
        example("When was the Harrow Bridge opened?", 1),
        example("Where is the Lune Tower?", 2),
    ]
    made = list(swapped(asked, 1.0, 0))
    assert made
    for one in made:
        assert one.question not in {old.question for old in asked}
        assert (one.answers, one.relevance, one.spans) == (False, False, ())
        assert not any(label for *_, label in one.sentences)


def test_a_passage_without_its_answering_sentence_is_silent() -> None:
    longer = replace(example(), text=TEXT + " It is painted green.")
    (made,) = cut([longer], 1.0, 0)
    assert made.text == "The Harrow Bridge crosses the Lune. Tolls ended in 1960. It is painted green."
    assert (made.answers, made.spans, made.relevance) == (False, (), None)


def test_a_substituted_answer_is_the_new_words() -> None:
    others = [example(number=n) for n in range(3)]
    other = ReaderExample(
        "made", "gold", "made/9", "When?", "", "Born in 1871 there.", ((8, 12),), answers=True, aliases=("1871",)
    )
    made = substituted([*others, other], 1.0, 1)
    changed = [one for one in made[:3] if "1871" in one.text]
    assert changed
    for one in changed:
        assert [one.text[a:b] for a, b in one.spans] == ["1871"]
        assert one.text[slice(*one.sentences[2][:2])] == "Tolls ended in 1960."
        assert one.aliases == ("1871",)


def test_a_shortened_passage_keeps_its_answer() -> None:
    for seed in range(8):
        (made,) = shortened([example()], 1.0, seed)
        assert [made.text[a:b] for a, b in made.spans] == ["1934"]
        assert any(made.text[a:b] == "It was opened in 1934 by the mayor." and label for a, b, label in made.sentences)


def test_examples_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert write([example(), example(number=1)], tmp_path / "made.jsonl") == 2
    assert list(read(tmp_path / "made.jsonl")) == [example(), example(number=1)]


def test_squads_form_is_read_and_an_impossible_question_is_silent(tmp_path: Path) -> None:
    asked = [
        {"question": "When was it opened?", "answers": [{"text": "1934", "answer_start": TEXT.index("1934")}]},
        {"question": "Who paid?", "answers": [], "is_impossible": True},
    ]
    file = tmp_path / "squad.json"
    file.write_text(json.dumps({"data": [{"title": "Harrow_Bridge", "paragraphs": [{"context": TEXT, "qas": asked}]}]}))
    gold, silent = squad_examples(file, "own", 0)
    assert [gold.text[a:b] for a, b in gold.spans] == ["1934"]
    assert gold.title == "Harrow Bridge"
    assert (silent.answers, silent.kind) == (False, "judged-unanswerable")


def test_a_file_that_is_no_squad_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ConfigError, match="SQuAD"):
        squad_examples(tmp_path / "x.json", "own", 0)


def test_silver_questions_are_read_and_broken_lines_named(tmp_path: Path) -> None:
    file = tmp_path / "silver.jsonl"
    row = {
        "origin": "docs",
        "document": "docs/a",
        "title": "A",
        "text": TEXT,
        "question": "Since when can one cross?",
        "answer": "1934",
    }
    file.write_text(json.dumps(row) + "\n" + json.dumps({**row, "answer": None}) + "\n")
    answered, silent = silver_examples(file)
    assert [answered.text[a:b] for a, b in answered.spans] == ["1934"]
    assert silent.answers is False
    file.write_text("{}\n")
    with pytest.raises(ConfigError, match=":1 "):
        list(silver_examples(file))


@pytest.mark.parametrize("name", ["ramdocs", "wikicontradict", "manuals", "everyday-conflicts"])
def test_sets_kept_for_tests_are_never_trained_on(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="kept for tests"):
        collect(Sources(tmp_path, sets=(name,)))


def test_questions_of_yes_and_no_are_decided_by_their_own_passage_alone(tmp_path: Path) -> None:
    names = ("fern", "coral", "moss", "sponge", "oak", "amoeba", "clover", "yeast", "birch", "krill", "heather")
    rows = [
        {
            "question": f"is the {name} a plant",
            "title": name,
            "answer": number % 2 == 0,
            "passage": f"Unlike the {names[number - 1]}, the {name} is {'a' if number % 2 == 0 else 'no'} plant.",
        }
        for number, name in enumerate(names)
    ]
    file = tmp_path / "boolq.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = boolq_examples(file, "made-boolq", 0)
    own = [one for one in made if one.kind == "gold"]
    assert [(one.verdict, one.aliases) for one in own[:2]] == [(0, ("yes",)), (1, ("no",))]
    near = [one for one in made if one.kind == "retrieved"]
    assert near
    assert {(one.verdict, one.answers) for one in near} == {(2, False)}
    assert all(one.title not in one.question for one in near)


def test_a_line_that_is_no_boolq_question_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"question": "is it"}\n')
    with pytest.raises(ConfigError, match=r"b\.jsonl:1"):
        boolq_examples(tmp_path / "b.jsonl", "b", 0)


def _written(tmp_path: Path, **given: object) -> list[ReaderExample]:
    row = {
        "origin": "made",
        "document": "made/1",
        "title": "Harrow Bridge",
        "text": TEXT,
        "question": "Is it free to cross?",
        **given,
    }
    (tmp_path / "silver.jsonl").write_text(json.dumps(row) + "\n")
    return list(silver_examples(tmp_path / "silver.jsonl"))


@pytest.mark.parametrize(("answer", "verdict", "answers"), [("yes", 0, True), ("no", 1, True), (None, 2, False)])
def test_a_written_question_of_yes_or_no(tmp_path: Path, answer: str | None, verdict: int, answers: bool) -> None:
    (made,) = _written(tmp_path, answer=answer, yes_no=True, sentence="Tolls ended in 1960." if answer else None)
    assert (made.verdict, made.answers, made.spans) == (verdict, answers, ())
    assert [label for *_, label in made.sentences] == ([False, False, True] if answer else [])


def test_several_answers_and_the_sentence_that_is_meant(tmp_path: Path) -> None:
    (made,) = _written(tmp_path, answer=["1934", "1960"])
    assert [TEXT[a:b] for a, b in made.spans] == ["1934", "1960"]
    text = "In 5 minutes it boils. Leave it for 5 hours."
    (placed,) = _written(tmp_path, text=text, answer="5", sentence="Leave it for 5 hours.")
    assert placed.spans == ((36, 37),)


def test_an_answer_that_does_not_stand_in_the_text_is_left_out(tmp_path: Path) -> None:
    assert _written(tmp_path, answer="1955") == []


def test_a_first_step_is_evidence_and_answers_nothing(tmp_path: Path) -> None:
    (made,) = _written(tmp_path, answer=None, relevance=True, sentence=["Tolls ended in 1960."])
    assert (made.answers, made.relevance, made.spans, made.kind) == (False, True, (), "silver-unanswered")
    assert [label for *_, label in made.sentences] == [False, False, True]


def test_the_steps_of_a_digest_are_all_evidence_and_one_holds_the_answer(tmp_path: Path) -> None:
    text = "The Oar: A film by Ida Marn.\nIda Marn: She was born in Vell in 1902.\nVell: A town of 1,902 people.\n"
    steps = ["A film by Ida Marn.", "She was born in Vell in 1902."]
    (made,) = _written(tmp_path, kind="digest", title="", text=text, answer="Vell", sentence=steps)
    assert [text[a:b] for a, b in made.spans] == ["Vell"]
    assert [label for *_, label in made.sentences] == [True, True, False]
    assert made.kind == "digest"


def test_a_line_may_hold_several_questions_on_its_passage(tmp_path: Path) -> None:
    made = _written(
        tmp_path,
        questions=[
            {"question": "Since when can one cross?", "answer": "1934"},
            {"question": "Who drew it?", "answer": None},
        ],
    )
    assert [(one.question, one.answers) for one in made] == [
        ("Since when can one cross?", True),
        ("Who drew it?", False),
    ]
    assert {one.text for one in made} == {TEXT}
