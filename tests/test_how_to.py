"""The how-tos hold: each Python block runs, each command is one that the program has, and each page is a task on one screen."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
import yaml
from langchain_core.documents import Document as LangChainDocument

from decoct import Library
from decoct.cli.app import app
from decoct.retrieve.base import Retriever
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import RetrieverContract

HOW_TO = Path(__file__).parent.parent / "docs" / "how-to"
PAGES = sorted(HOW_TO.glob("*.md"))
BLOCKS = [
    pytest.param(page, language, code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, (language, code) in enumerate(re.findall(r"^```(\w*)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S))
]
PARSED = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
# What talks to a running server is tried by its own tests (tests/server/test_openai_*), with the client that the page names.
SERVED = "from openai import"
# Programs that the pages name beside ours.
OTHERS = frozenset({"pip", "curl", "which", "docker", "export", "createuser", "createdb", "psql"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the pages suppose it: `handbook/`, and the library made from it under both names that they use."""
    place = tmp_path_factory.mktemp("how-to")
    (place / "handbook").mkdir()
    head = "---\nkind: policy\nyear: 2024\ntags: [hr]\n---\n"
    (place / "handbook" / "leave.md").write_text(
        f"{head}# Leave\n\nEvery employee has 25 days of leave a year.\n", "utf-8"
    )
    for name in ("library", "handbook-library"):
        with Library.open(place / name) as library:
            library.sync(place / "handbook")
    return place


@pytest.mark.parametrize(("page", "language", "code"), BLOCKS)
def test_every_block_holds(page: Path, language: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    if language in PARSED:
        PARSED[language](code)
    elif language == "python":
        if SERVED not in code:
            run(page, code)
    else:
        assert language == "", f"{page.name}: a block of {language!r} is not known here"
        for command in commands(code):
            parse(command)


def run(page: Path, code: str) -> None:
    """Run a block; a page's later blocks may use what its earlier ones made."""
    earlier = page.read_text("utf-8").partition(code)[0]
    module = ModuleType("block")
    names: dict[str, Any] = module.__dict__
    sys.modules["block"] = module  # where dataclasses look for their names
    names |= {"question": "How many days of leave are there?", "retriever": Chain()}
    for block in re.findall(r"^```python\n(.*?)^```", earlier, re.M | re.S):
        if SERVED not in block and uses(code, block):
            exec(compile(placed(block), page.name, "exec"), names)
    exec(compile(placed(code), page.name, "exec"), names)


class TestTheRetrieverOfThePage(RetrieverContract):
    """The page names the contract that its own retriever must pass."""

    @pytest.fixture
    def retriever(self, store: MemoryStore) -> Retriever:
        """That of the page."""
        page = HOW_TO / "add-a-retriever.md"
        (code,) = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
        names: dict[str, Any] = {"__name__": "block"}
        sys.modules["block"] = ModuleType("block")
        exec(compile(code, page.name, "exec"), names)
        made: Retriever = names["Newest"](store)
        return made


def placed(code: str) -> str:
    """The block over the library made here: a page calls its library as it calls the folder."""
    return code.replace('Library.open("handbook")', 'Library.open("handbook-library")').replace(
        'library="handbook"', 'library="handbook-library"'
    )


def uses(code: str, earlier: str) -> bool:
    """Whether the block uses a name that the earlier one made."""
    made = set(re.findall(r"^(?:    )?(?:with .* as )?(\w+)(?: =|:$)", earlier, re.M))
    return bool(made & set(re.findall(r"\w+", code)) - {"for", "library"})


class Chain:
    """A retriever of somebody else."""

    def invoke(self, question: str) -> list[LangChainDocument]:
        """One document."""
        return [LangChainDocument("Every employee has 25 days of leave a year.", metadata={"source": "leave.md"})]


def commands(code: str) -> Iterator[list[str]]:
    """The commands of a block, each as its words; a line that ends in a backslash goes on, what follows `#` is a comment."""
    for line in code.replace("\\\n", " ").splitlines():
        for command in line.split(" && "):
            if words := shlex.split(command, comments=True):
                yield words


def parse(words: list[str]) -> None:
    """Have the program read the command's options; nothing is run."""
    if words[0] in OTHERS:
        return
    assert words[0] == "decoct", words
    command, rest = typer.main.get_command(app), words[1:]
    while hasattr(command, "get_command") and rest and (found := command.get_command(typer.Context(command), rest[0])):
        command, rest = found, rest[1:]
    if "--help" not in rest:
        command.make_context(words[1], rest)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_a_task_on_one_screen(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.startswith("# ")
    assert len(text.splitlines()) <= 60, "a how-to is one screen: the rest belongs on the page that it links"
    assert "](../" in text


def test_an_unknown_option_is_caught() -> None:
    with pytest.raises(Exception, match="--depht"):
        parse(shlex.split("decoct ingest handbook --depht 2"))
