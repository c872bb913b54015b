"""A run builds what its systems retrieve by, without a model, once; nothing for systems that need none."""

from __future__ import annotations

from pathlib import Path

from decoct import Document, Library
from decoct.evaluate.system import systems
from decoct.recipe import load_recipe
from decoct_lab.structure.needed import build_needed, structures_read
from decoct_testing.scripted import ScriptedLLM


def test_structures_are_built_where_they_are_missing(tmp_path: Path) -> None:
    told: list[str] = []
    llm = ScriptedLLM([])
    with Library.open(tmp_path / "lib", llm=llm) as library:
        library.add([Document("a", "Lena Ash grew up near Brno.", "Lena Ash")])
        build_needed(library, systems(["naive", "gold-passages"]), told.append)
        assert library.structures.states() == []
        build_needed(library, systems(["hipporag2", "hipporag2-native", "naive"]), told.append)
        (state,) = library.structures.states()
        assert (state.name, state.model, state.documents) == ("hipporag2", "", 1)
        assert told[0] == "building the structure hipporag2"
        told.clear()
        build_needed(library, systems(["hipporag2"]), told.append)
        assert told == []
        library.add([Document("b", "Brno has parks.", "Brno")])
        build_needed(library, systems(["hipporag2"]), told.append)
        assert library.structures.states()[0].documents == 2
    assert llm.requests == []


def test_structures_of_inner_retrievers_are_needed_too() -> None:
    table = {"retrieve": {"use": "hybrid", "retrievers": ["bm25", {"use": "linearrag", "structure": "mine"}]}}
    assert list(structures_read(load_recipe(table).retrieve)) == ["mine"]
