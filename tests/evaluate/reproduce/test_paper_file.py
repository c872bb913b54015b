"""The file of an experiment: what it may hold, and that no misspelt or doubled figure vanishes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct.tables import read_table
from decoct_lab.reproduce.paper import load_paper, parse_paper
from decoct_lab.reproduce.paper_file import ClaimTable, PaperFile

TABLE = {"id": 1, "title": "T", "budgets": [500], "metrics": ["token_f1"], "sets": ["hotpotqa"]}


def read(**changed: Any) -> PaperFile:
    return read_table(PaperFile, {"title": "P", "table": [TABLE], **changed}, "p.toml", EvaluationError)


def test_the_least_file_has_a_title_and_a_table() -> None:
    paper = read()
    (table,) = paper.table
    assert (paper.setting, paper.claim, paper.set, paper.reasons) == ("", [], {}, {})
    assert (table.condition, table.grid, table.corpus, table.judged) == ([], None, None, [])


def test_a_claim_is_of_a_gain_of_two_points_unless_it_says_else() -> None:
    row = {"id": "c", "text": "t", "table": "1", "better": "a", "than": "b", "metrics": ["token_f1"]}
    claim = read_table(ClaimTable, row, "c", EvaluationError)
    assert (claim.kind, claim.least, claim.sets) == ("better", 0.02, [])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tables": []}, r"p\.toml: tables: unknown key; did you mean 'table'"),
        ({"table": [{**TABLE, "budget": 5}]}, r"table\[0\]\.budget: unknown key; did you mean 'budgets'"),
        ({"table": [{**TABLE, "corpus": "streams"}]}, r"table\[0\]\.corpus: expected 'stream'.*not 'streams'"),
        ({"table": [{k: v for k, v in TABLE.items() if k != "sets"}]}, r"table\[0\]\.sets: missing"),
        ({"set": {"hotpotqa": {"option": {}}}}, r"set\.hotpotqa\.option: unknown key; did you mean 'options'"),
        ({"table": [{**TABLE, "condition": [{"name": "a", "paper": {"hotpotqa": {"f1": "x"}}}]}]}, r"condition\[0\]\.paper\.hotpotqa\.f1"),
    ],
)  # fmt: skip
def test_what_a_file_may_not_hold_is_told_with_the_nearest_name(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        read(**changed)


HEAD = 'title = "P"\n[[table]]\nid = 1\ntitle = "T"\nbudgets = [500]\nmetrics = ["token_f1"]\nsets = ["hotpotqa"]\n'


def test_two_tables_of_one_number_are_refused() -> None:
    assert list(parse_paper(HEAD, "p").tables) == ["1"]
    with pytest.raises(EvaluationError, match="p: there are two tables '1'"):
        parse_paper(HEAD + HEAD.split("\n", 1)[1], "p")


@pytest.mark.parametrize("matrix", ["[[1.0, 2.0]]", "[[1.0], [2.0]]", "[[1.0, 2.0], [3.0]]"])
def test_a_grids_figures_are_one_for_each_pair(matrix: str) -> None:
    grid = "[table.grid]\ntokens = [150, 300]\ntop = [5, 10]\n[table.grid.paper.hotpotqa]\ntoken_f1 = "
    with pytest.raises(EvaluationError, match=r"p\.table\.1\.grid: the figures of token_f1 are no 2 rows of 2"):
        parse_paper(HEAD + grid + matrix, "p")
    paper = parse_paper(HEAD + grid + "[[1.0, 2.0], [3.0, 4.0]]", "p")
    names = {one.name: one.paper["hotpotqa"]["token_f1"] for one in paper.tables["1"].conditions}
    assert names["150-top-10"] == names["150-pieces-10"] == (2.0,)
    assert names["300-top-5"] == (3.0,)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for content in (b"title = ", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(EvaluationError, match=r"mine\.toml: .*docs/evaluation\.md shows an experiment"):
            load_paper(str(file))
    with pytest.raises(EvaluationError, match=r"none\.toml"):
        load_paper(str(tmp_path / "none.toml"))
