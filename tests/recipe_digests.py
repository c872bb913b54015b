"""What every recipe hands out, as digests: context and answer for fixed questions over `examples/documents`, with doubles for models.

`recipe_digests.json` holds the questions and, a recipe and budget, one digest a question. A change that only moves or renames leaves all of
them as they are; one that means to change what users get renews them, and the difference names the recipes it reached:

    python tests/recipe_digests.py            # compare the first few questions, as the suite does; --all for every one (many minutes)
    python tests/recipe_digests.py --write    # renew; the digests of further questions stay where the first did not change
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from decoct.answer.as_json import answer_as_json
from decoct.context.as_json import context_as_json
from decoct.errors import DecoctError
from decoct.library import Library
from decoct.llm.base import Request
from decoct.recipe import load_recipe, shipped
from decoct.retrieve.cards.build import Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct_lab.structure.needed import structures_read
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).with_suffix(".json")
BUDGETS = (150, 1200)
FEW = 2
"""Questions that the suite compares."""


def kept() -> dict[str, Any]:
    """The committed questions and digests: `{"questions": […], "digests": {recipe: {budget: [digest, …]}}}`."""
    loaded: dict[str, Any] = json.loads(KEPT.read_text("utf-8"))
    return loaded


def reply(request: Request) -> str:
    """The least that a request's schema allows; without one a sentence that cites."""
    return "The first of them was made in 1906 [1]." if request.schema is None else json.dumps(least(request.schema))


def least(schema: Mapping[str, Any]) -> Any:
    """The smallest value of a JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return least(one)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: least(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [least(schema["items"])] * max(schema.get("minItems", 0), 1)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return ""


class CrossEncoder:
    """Stands in for the package's: the share of a question's words that a text holds."""

    num_labels = 1
    max_seq_length = 512

    def __init__(self, name: str, **settings: Any) -> None:
        self.tokenizer = self

    def __call__(self, text: str, **settings: Any) -> dict[str, Any]:
        words, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            words.append((at, at + len(word)))
            at += len(word)
        return {"input_ids": words, "offset_mapping": words}

    def num_special_tokens_to_add(self, pair: bool) -> int:
        return 3 if pair else 2

    def predict(self, pairs: list[tuple[str, str]], **settings: Any) -> Any:
        shares = [len({*a.lower().split()} & {*b.lower().split()}) / len({*a.split()}) for a, b in pairs]
        return np.array(shares, np.float32)


def nothing_there(name: str, **settings: Any) -> str:
    """A hub that cannot be reached."""
    raise OSError(f"{name} cannot be fetched")


def stand_ins() -> dict[str, ModuleType]:
    """Doubles for the packages of models, by the names they are imported by."""
    made = {}
    doubles: Mapping[str, Mapping[str, Any]] = {
        "sentence_transformers": {"CrossEncoder": CrossEncoder},
        "huggingface_hub": {"snapshot_download": nothing_there},
        "torch": {"nn": SimpleNamespace(Identity=lambda: None), "Tensor": type("Tensor", (), {})},
    }
    for name, contents in doubles.items():
        made[name] = ModuleType(name)
        for attribute, value in contents.items():
            setattr(made[name], attribute, value)
    return made


def library(folder: Path, recipes: Sequence[str]) -> Library:
    """The example documents, with the structures that the recipes read and the doubles."""
    opened = Library.open(folder, embedder=HashEmbedder(64))
    opened.add(ROOT / "examples" / "documents")
    for name in sorted({one for recipe in recipes for one in structures_read(load_recipe(recipe).retrieve)}):
        opened.structure(name, {"layout": "pca"} if name == "raptor" else {}, model=False).run()
    if any(recipe.startswith("cards") for recipe in recipes):
        cards = opened.cards.writable()
        Build(opened.store, cards.cards, opened.embedder, Rules()).run()
        cards.cards.close()
    opened.llm = ScriptedLLM(reply)
    return opened


def plain(value: Any) -> Any:
    """JSON without what another machine may round otherwise: scores and times away, numbers to three digits."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items() if key not in ("trace", "score")}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value


def outcome(opened: Library, recipe: str, budget: int, question: str) -> object:
    """Context and answer as JSON, or the error that the recipe ends in."""
    try:
        answer = opened.ask(question, budget, recipe)
        read = load_recipe(recipe).read
        of_its_own = read is not None and read.name == "casc"  # that reader hands on more than it was given
        context = opened.context(question, budget, recipe) if of_its_own else answer.context
        return [plain(context_as_json(context)), plain(answer_as_json(answer))]
    except DecoctError as error:
        return [error.code, str(error)]


def digest(value: object) -> str:
    """Twelve characters of the SHA-256 of the value as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def digests(
    opened: Library, recipes: Sequence[str], questions: Sequence[str]
) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """For each recipe its digests by budget."""
    for recipe in recipes:
        yield recipe, {str(b): [digest(outcome(opened, recipe, b, q)) for q in questions] for b in BUDGETS}


def differing(found: Mapping[str, Sequence[str]], before: Mapping[str, Sequence[str]]) -> int:
    """How many digests are not what they were."""
    return sum(a != b for budget in found for a, b in zip(found[budget], before.get(budget, ()), strict=False))


def main() -> int:
    """Compare or renew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every question")
    parser.add_argument("--write", action="store_true", help="renew tests/recipe_digests.json")
    parser.add_argument("--recipe", action="append", help="these alone")
    arguments = parser.parse_args()
    sys.modules.update(stand_ins())
    data = kept()
    recipes, questions = arguments.recipe or list(shipped()), data["questions"][: None if arguments.all else FEW]
    changed = False
    with tempfile.TemporaryDirectory() as folder, library(Path(folder) / "library", recipes) as opened:
        for recipe, found in digests(opened, recipes, questions):
            before = data["digests"].get(recipe, {})
            other = differing(found, before)
            said = f"{other} of {len(questions) * len(BUDGETS)} changed" if before else "new"
            print(f"{recipe}: {said}", flush=True)  # noqa: T201
            if other or not before or arguments.all:
                data["digests"][recipe] = found
                changed = changed or bool(other) or not before
    if arguments.write:
        data["digests"] = {name: data["digests"][name] for name in sorted(data["digests"]) if name in shipped()}
        KEPT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return int(changed and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
