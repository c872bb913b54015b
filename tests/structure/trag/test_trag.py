"""What is inside what, worked out by hand, and retrieval by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.data import Chunk, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelError
from decoct.llm.base import Reply, Request
from decoct_lab.structure.base import Chunked
from decoct_lab.structure.trag import by_model
from decoct_lab.structure.trag.containment import Inside, containments_in
from decoct_lab.structure.trag.forest import ContainmentStatement, forest, path
from decoct_lab.structure.trag.method import EntityTree
from decoct_testing.scripted import ScriptedLLM


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Graz is a city in Austria.", [("Graz", "Austria")]),
        ("Lend, the fourth district of Graz, is old.", [("Lend", "Graz")]),
        ("Geidorf (German for something) is located in the Graz basin.", [("Geidorf", "Graz")]),
        ("The Protection Unit reports to the Field Office.", [("Protection Unit", "Field Office")]),
        (
            "The Union consists of Kenya, Uganda and Tanzania.",
            [("Kenya", "Union"), ("Uganda", "Union"), ("Tanzania", "Union")],
        ),
        ("Anna met Bert in Vienna.", []),
        ("Graz, Linz and Vienna are cities.", []),
        ("The war began in 1906 in Austria.", []),
        ("Rome is part of Rome.", []),
        ("The Physical Laboratory, situated in New Delhi, is old.", [("Physical Laboratory", "New Delhi")]),
        # What says "inside" belongs to something before the nearest name.
        ("It was a private airfield in the northwest United States, located in Bellevue.", []),
        ("He heads the Prussian branch of the House of Hohenzollern.", []),
        ("The son of Ivan Novak attended grade school in Zagreb.", []),
        ("He bought it in Texas as part of the Super Bowl.", []),
        ("Pius, called Carlos in Spain, was a member of the House of Bourbon.", []),
    ],
)
def test_what_sentences_state(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert [
        (one.child.removeprefix("The "), one.parent.removeprefix("The ")) for one in containments_in(sentence)
    ] == expected


def statement(child: str, parent: str, at: int = 0) -> ContainmentStatement:
    text = f"{child} in {parent}"
    return ContainmentStatement(child, parent, Span("d", at, at + len(text)), text, (1,))


def test_the_parent_stated_most_often_counts_and_nothing_is_inside_itself() -> None:
    found = forest(
        [
            statement("Graz", "Hungary"),
            statement("Graz", "Styria", 20),
            statement("GRAZ", "Styria", 40),
            statement("Styria", "Austria"),
            statement("Austria", "Graz", 60),  # stated once: it would close a circle over "Graz in Styria in Austria"
        ]
    )
    assert {key: one.parent for key, one in found.items()} == {
        "austria": "",
        "graz": "styria",
        "hungary": "",
        "styria": "austria",
    }
    assert found["graz"].name == "Graz"
    assert [one.name for one in path(found, "graz", 6)] == ["Graz", "Styria"]
    assert [one.name for one in path(found, "graz", 1)] == ["Graz"]
    assert path(found, "austria", 6) == []
    assert path(found, "nowhere", 6) == []


CHUNK = Chunk(Span("d", 5, 47), "It is a town in Styria. It sells pumpkins.", "Wildon", key=3)


def reply(*relations: tuple[str, str, int]) -> Reply:
    return Reply(
        json.dumps({"relations": [dict(zip(("child", "parent", "sentence"), one, strict=True)) for one in relations]})
    )


def test_a_model_may_name_only_what_stands_there() -> None:
    found = by_model.read(
        reply(("Wildon", "Styria", 1), ("Wildon", "Mars", 1), ("Bruck", "Styria", 1), ("Styria", "styria", 1)), CHUNK
    )
    assert found == [(Inside("Wildon", "Styria"), (0, 23))]
    assert by_model.read(reply(("Wildon", "Styria", 9), ("Wildon", "Styria", 0)), CHUNK) == []
    with pytest.raises(ModelError):
        by_model.read(ModelError("no"), CHUNK)


def test_a_chunk_on_which_the_model_fails_is_counted() -> None:
    text = "Graz is a city in Austria. Linz is a city in Austria."
    chunks = (Chunk(Span("d", 0, 26), text[:26], key=0), Chunk(Span("d", 27, 53), text[27:], key=1))
    llm = ScriptedLLM([reply(("Graz", "Austria", 1)), ModelError("too much")])
    method = EntityTree(default_tokenizer(), llm)
    (part,) = method.read([Chunked(Document("d", text), chunks)])
    assert part.failed == ("chunk 1: too much",)
    assert [row[1:3] for row in json.loads(part.body)] == [["Graz", "Austria"]]
    assert method.estimate([Chunked(Document("d", text), chunks)]).calls == len(llm.requests) == 2


DOCUMENTS = (
    Document("lend", "Lend is the fourth district of Graz. Its market opens on Fridays.", "Lend"),
    Document("graz", "Graz is a city in Austria. It lies on the river Mur.", "Graz"),
    Document("salt", "Salt is a mineral. It is mined in many places.", "Salt"),
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "lib")
    opened.add(DOCUMENTS)
    return opened


def test_the_path_of_an_entity_stands_before_the_chunks(library: Library) -> None:
    library.structure("t-rag").run()
    first, *chunks = library.context("In which country is Lend?", 300, "t-rag").passages
    # by document: "graz" before "lend"
    assert first.text == "Graz is a city in Austria.\nLend is the fourth district of Graz."
    assert [library.store.text(span) for span in first.support] == first.text.split("\n")
    assert (first.kind, first.title) == ("quote", "Lend")
    assert {chunk.title for chunk in chunks} == {"Lend", "Graz", "Salt"}
    hits = library.search("In which country is Lend?", 3, "t-rag")
    assert [hit.chunk.span.doc_id for hit in hits[:2]] == ["lend", "graz"]
    context = library.context("What is salt?", 300, "t-rag")
    assert context.trace.fallbacks["t-rag.no_entity"] == 1


def test_a_path_by_a_model_is_a_rewrite_with_its_sentences(library: Library) -> None:
    def scripted(request: Request) -> str:
        asked = request.messages[-1].content
        found = [("Lend", "Graz", 1)] if "district" in asked else [("Graz", "Austria", 1)] if "Mur" in asked else []
        return reply(*found).text

    library.llm = ScriptedLLM(scripted)
    report = library.structure("t-rag").run()
    assert (report.spent.calls, report.failed) == (3, 0)  # a call a chunk
    first = library.context("In which country is Lend?", 300, "t-rag").passages[0]
    assert (first.text, first.kind) == ("Lend is in Graz. Graz is in Austria.", "rewrite")
    assert [library.store.text(span) for span in first.support] == [
        "Graz is a city in Austria.",
        "Lend is the fourth district of Graz.",
    ]


def test_a_document_that_is_gone_cuts_the_path(library: Library) -> None:
    library.structure("t-rag").run()
    library.delete("graz")
    first = library.context("In which country is Lend?", 300, "t-rag").passages[0]
    assert first.text == "Lend is the fourth district of Graz."
