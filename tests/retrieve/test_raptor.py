"""Retrieval by RAPTOR's tree, over a library of three subjects; clusters are laid out by principal components (UMAP takes seconds)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from decoct import Document, Library
from decoct.cli.app import app
from decoct.errors import MissingStructureError
from decoct_lab.structure.raptor.method import RaptorTree
from decoct_lab.structure.stored_tree import read_tree
from decoct_lab.structure.tree import Node
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

SUBJECTS = ("painter portrait canvas museum", "bridge river arch engineer", "opera aria composer stage")
PCA: dict[str, Any] = {"layout": "pca", "most": 6, "dimensions": 5}


def document(subject: int, number: int) -> Document:
    words = SUBJECTS[subject]
    return Document(f"{subject}-{number:02}", f"The {words} number{number} said so.", metadata={"subject": subject})


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(256)) as opened:
        opened.add([document(subject, number) for subject in range(3) for number in range(8)])
        yield opened


def nodes_of(library: Library) -> tuple[Node, ...]:
    return library.structures.read("raptor", read_tree).nodes


def test_leaves_and_summaries_compete(library: Library) -> None:
    with pytest.raises(MissingStructureError, match="decoct structure build raptor"):
        library.context("bridge", 100, "raptor")
    library.structure("raptor", PCA).run()
    nodes = nodes_of(library)
    assert sum(node.layer == 0 for node in nodes) == 24
    assert any(node.layer == 1 for node in nodes)
    for node in nodes:
        assert node.text == "\n".join(library.store.text(span) for span in node.spans)
    context = library.context("bridge river arch engineer", 400, "raptor")
    assert any(len(passage.support) > 1 for passage in context.passages)
    assert all("bridge" in passage.text for passage in context.passages[:3])
    scores = [passage.score for passage in context.passages]
    assert scores == sorted(scores, reverse=True)
    assert context.tokens <= 400
    hits = library.search("bridge river arch engineer", 8, "raptor")
    assert {hit.chunk.span.doc_id[0] for hit in hits} == {"1"}


def test_the_traversal_looks_only_below_what_it_kept(library: Library) -> None:
    library.structure("raptor", PCA).run()
    tree = library.structures.read("raptor", read_tree)
    asked = {"retrieve": {"use": "raptor", "search": "traversal", "per_layer": 1}}
    hits = library.search("opera aria composer stage", 24, asked)
    assert len(hits) <= tree.layers + 1
    assert hits[0].chunk.span.doc_id[0] == "2"


def test_the_authors_own_budget_stops_at_the_first_that_does_not_fit(library: Library) -> None:
    library.structure("raptor", PCA).run()
    count = library.budget(1).tokenizer.count
    asked = {"retrieve": {"use": "raptor", "nodes": 10, "tokens": 60}, "layout": "plain", "budget": 60, "depth": 10}
    shown = library.context("bridge river arch engineer", recipe=asked).passages
    every = library.context("bridge river arch engineer", 5000, "raptor-native").passages
    assert len(every) == 10
    lengths = np.cumsum([count(one.text) for one in every])
    assert [one.text for one in shown] == [one.text for one, total in zip(every, lengths, strict=True) if total <= 60]


def test_a_summary_is_shown_only_where_all_it_speaks_of_passes(library: Library) -> None:
    library.structure("raptor", PCA).run()
    passages = library.context("painter bridge opera", 2000, "raptor", where={"subject": "1"}).passages
    assert passages
    assert {span.doc_id[0] for passage in passages for span in passage.support} == {"1"}
    library.delete("1-00")
    stale = library.context("bridge river arch engineer", 2000, "raptor")
    assert "1-00" not in {span.doc_id for passage in stale.passages for span in passage.support}


def test_new_documents_join_at_the_cost_of_what_they_are(library: Library) -> None:
    llm = ScriptedLLM(lambda request: f"Summary number {len(request.messages[-1].content)}.")
    library.llm = llm
    first = library.structure("raptor", PCA).run()
    assert first.spent.calls == len(llm.requests) > 3
    before = {node.key: node for node in nodes_of(library)}
    assert all(node.kind == "rewrite" for node in before.values() if node.layer)
    llm.requests.clear()
    library.add(document(1, 50))
    second = library.structure("raptor", PCA).run()
    after = {node.key: node for node in nodes_of(library)}
    layers = max(node.layer for node in after.values())
    assert 1 <= second.spent.calls == len(llm.requests) <= layers
    (joined,) = [node for node in after.values() if node.key not in before]
    assert joined.text.startswith("The bridge")
    assert sum(before[key] != node for key, node in after.items() if key in before) <= layers
    assert library.structure("raptor", PCA).estimate()[0] == 0


def test_from_the_command_line(library: Library, tmp_path: Path) -> None:
    with Library.open(tmp_path / "demo") as opened:
        opened.add([document(subject, number) for subject in range(3) for number in range(5)])
    place = str(tmp_path / "demo")

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(app, [*arguments, "--library", place, "--json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return json.loads(result.output)

    sets = [word for key, value in PCA.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    assert run("structure", "build", "raptor", *sets)["documents"] == 15
    for name in ("treerag", "t-rag"):
        assert run("structure", "build", name)["documents"] == 15
    for recipe in ("raptor", "raptor-traversal", "raptor-native", "treerag", "treerag-native", "t-rag", "t-rag-native"):
        shown = run("context", "Who is the engineer of the bridge?", "--recipe", recipe)
        assert "bridge" in shown["passages"][0]["text"]
    for recipe in ("cfic", "cfic-native"):
        assert run("context", "Who is the engineer of the bridge?", "--recipe", recipe)["passages"]


def test_settings_that_cannot_be_are_refused() -> None:
    from decoct.embed.tokenizer import default_tokenizer

    tokenizer = default_tokenizer()
    impossible: list[dict[str, Any]] = [{"leaf_tokens": 1}, {"layers": 0}, {"membership": 1.0}, {"most": 1}]
    for wrong in impossible:
        with pytest.raises(ValueError, match="at least"):
            RaptorTree(tokenizer, tokenizer, **wrong)
