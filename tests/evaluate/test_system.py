from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct.errors import ConfigError, EvaluationError
from decoct.evaluate.system import chunker_json, system, systems
from decoct.library import DEFAULT_CHUNKER


def test_a_chunk_size_after_at_is_a_fixed_chunker_with_half_overlap() -> None:
    one = system("naive@600")
    assert one.name == "naive@600"
    assert json.loads(one.chunker)["tokens"] == 600
    assert json.loads(one.chunker)["overlap"] == 0.5
    # To the letter the paper's windows, whatever the default chunker is.
    assert json.loads(system("naive@150").chunker) == {"use": "fixed", "tokens": 150, "overlap": 0.5}
    assert system("naive").chunker == chunker_json(DEFAULT_CHUNKER)


def test_the_conditions_that_are_no_recipes() -> None:
    assert system("gold-passages").oracle == "gold-passages"
    assert system("no-retrieval").as_dict() == {"oracle": "no-retrieval"}


def test_unknown_names_are_told_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'naive'"):
        system("naiv")
    with pytest.raises(ConfigError, match="chunk size"):
        system("naive@many")


def test_none_twice_and_not_none() -> None:
    with pytest.raises(EvaluationError, match="named twice"):
        systems(["naive", "naive"])
    with pytest.raises(EvaluationError, match="at least one"):
        systems([" "])


def test_a_recipe_that_asks_a_model_says_so() -> None:
    assert not system("recall").needs_llm
    assert not system("no-retrieval").needs_llm


def test_the_prompts_of_its_stages_are_named(tmp_path: Path) -> None:
    recipe = tmp_path / "asks.toml"
    recipe.write_text('[retrieve]\nuse = "self-ask"\nretriever = "dense"\n[[context]]\nuse = "summarise"\n')
    assert set(system(str(recipe)).prompts()) == {"self_ask", "summarise"}
    assert system("naive").prompts() == {}
