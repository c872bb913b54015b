"""The command line as a user meets it: in process, on small real files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from decoct import Library
from decoct.errors import StoreError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library(run: Run, tmp_path: Path) -> str:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "aare.md").write_text("# Aare\n\nThe Aare is a river in Switzerland. It rises in the Bernese Alps.\n")
    (folder / "alps.txt").write_text(
        "The Bernese Alps are a mountain range. Their highest peak is the Finsteraarhorn.\n"
    )
    rows = [{"id": "f", "title": "Finsteraarhorn", "text": "The Finsteraarhorn is 4,274 metres high.", "year": 1812}]
    (folder / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run("ingest", "docs", "--library", "lib")
    assert (code, err) == (0, "")
    return "lib"


def parsed(out: str) -> Any:
    return json.loads(out)


def test_ingest_tells_counts_and_every_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("A sentence about something.")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    code, out, _ = run("ingest", "good.txt", "bad.pdf", "--library", "lib", "--json")
    report = parsed(out)
    assert code == 0
    assert (report["added"], report["failed"]) == (1, 1)
    assert "bad.pdf" in report["failures"][0]["source"]
    assert report["failures"][0]["reason"]
    code, out, _ = run("ingest", "good.txt", "--library", "lib", "--json")
    assert parsed(out)["unchanged"] == 1


def test_ingest_of_nothing_readable_fails(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    code, _, err = run("ingest", "bad.pdf", "--library", "lib")
    assert code == 1
    assert "bad.pdf" in err


def test_context_json_has_the_shape_that_is_promised(run: Run, library: str) -> None:
    code, out, _ = run("context", "How high is the Finsteraarhorn?", "--budget", "80", "--library", library, "--json")
    context = parsed(out)
    assert code == 0
    assert set(context) >= {"question", "text", "tokens", "limit", "passages", "trace"}
    assert context["limit"] == 80
    assert 0 < context["tokens"] <= 80
    passage = context["passages"][0]
    assert set(passage) >= {"text", "kind", "score", "title", "support"}
    (span,) = passage["support"]
    code, shown, _ = run(
        "documents",
        "show",
        span["doc_id"],
        "--start",
        str(span["start"]),
        "--end",
        str(span["end"]),
        "--library",
        library,
    )
    assert shown.rstrip("\n") == passage["text"]
    assert context["trace"]["stages"]


def test_context_alone_is_ready_to_pipe(run: Run, library: str) -> None:
    code, out, err = run("context", "How high is the Finsteraarhorn?", "--library", library)
    assert (code, err) == (0, "")
    assert out.startswith("[1] ")


def test_ask_cites_and_json_adds_answer_and_citations(run: Run, library: str) -> None:
    code, out, _ = run("ask", "How high is the Finsteraarhorn?", "--library", library)
    assert code == 0
    assert "4,274" in out
    assert "[1]" in out
    assert "Sources" in out
    code, out, _ = run("ask", "How high is the Finsteraarhorn?", "--library", library, "--json")
    answer = parsed(out)
    assert "4,274" in answer["answer"]
    assert answer["citations"]
    assert answer["passages"]


def test_where_nothing_matches_context_and_answer_say_so(run: Run, library: str) -> None:
    code, out, _ = run("ask", "xylophone zeppelin quorum?", "--library", library, "--json")
    answer = parsed(out)
    assert (code, answer["citations"], answer["found"], answer["passages"], answer["text"]) == (1, [], False, [], "")
    assert answer["answer"]
    code, out, err = run("context", "xylophone zeppelin quorum?", "--library", library)
    assert (code, out) == (1, "")
    assert "nothing in the library matches" in err


def test_filters_keep_documents_with_that_metadata(run: Run, library: str) -> None:
    _, out, _ = run("search", "mountain", "--filter", "year=1812", "--library", library, "--json")
    assert {hit["doc_id"] for hit in parsed(out)["hits"]} == {"f"}
    code, out, _ = run("search", "mountain", "--filter", "year=1999", "--library", library, "--json")
    assert (code, parsed(out)["hits"]) == (1, [])


def test_search_explains_who_found_what(run: Run, library: str) -> None:
    code, out, err = run("search", "river in Switzerland", "-k", "2", "--explain", "--library", library)
    assert code == 0
    assert "found by" in out
    assert "retrieve" in err


def test_documents_status_and_delete(run: Run, library: str) -> None:
    _, out, _ = run("documents", "list", "--library", library, "--json")
    assert [row["id"] for row in parsed(out)] == ["docs/aare.md", "docs/alps.txt", "f"]
    code, out, _ = run("documents", "delete", "f", "nobody", "--library", library, "--json")
    assert (code, parsed(out)) == (0, {"deleted": 1, "unknown": ["nobody"]})
    _, out, _ = run("status", "--library", library, "--json")
    assert parsed(out)["documents"] == 2
    for command in (("documents", "show", "f"), ("documents", "delete", "f"), ("cards", "show", "f")):
        code, _, err = run(*command, "--library", library)
        assert code == 1, command
        assert err.strip()
    code, _, err = run("documents", "show", "f", "--library", library, "--json")
    assert (code, json.loads(err)["error"]["code"]) == (1, "document")


def test_recipes_are_listed_and_shown_resolved(run: Run) -> None:
    _, out, _ = run("recipes", "--json")
    assert set(parsed(out)) >= {"naive", "dos", "recall", "default"}
    assert run("recipes", "--json", "show", "recall") == run("recipes", "show", "recall", "--json")
    code, out, _ = run("recipes", "show", "recall", "--json")
    assert (code, parsed(out)["retrieve"]["use"]) == (0, "feedback")


def test_recipes_to_know_first_come_first_and_each_of_the_others_once(run: Run) -> None:
    _, out, _ = run("recipes")
    _, listed, _ = run("recipes", "--json")
    lines = [line.split() for line in out.splitlines() if line.startswith("  ") and not line.startswith("   ")]
    names = [words[0] for words in lines]
    assert names[:4] == ["default", "merge-links", "casc", "cards+links"]
    assert sorted(names) == sorted(parsed(listed))
    assert out.count("when: ") == out.count("cost of a question: ") == 4


def test_doctor_finds_a_sound_library(run: Run, library: str) -> None:
    code, out, _ = run("doctor", "--library", library, "--json")
    rows = {row["what"]: row for row in parsed(out)}
    assert code == 0
    assert rows["bundled embedder"]["state"] == "ok"
    assert rows["provenance"]["detail"] == "3 chunks compared with their documents, 0 differ"


def test_the_library_can_be_rebuilt_with_another_chunker(run: Run, library: str) -> None:
    code, _, err = run("ingest", "docs", "--library", library, "--chunker", "recursive")
    assert code == 2
    assert "--rebuild" in err
    code, out, _ = run("ingest", "--rebuild", "--library", library, "--chunker", "recursive", "--json")
    assert (code, parsed(out)["documents"]) == (0, 3)
    _, out, _ = run("status", "--library", library, "--json")
    assert '"recursive"' in parsed(out)["settings"]["chunker"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "", "--library", "lib"], "the question is empty"),
        *((["ask", text, "--library", "lib"], "holds no word") for text in ("   ?", "?!", "…")),
        (["ask", "Why?", "--recipe", "defualt", "--library", "lib"], "did you mean 'default'"),
        (["ask", "Why?", "--llm", "gpt-9", "--library", "lib"], "no language model 'gpt-9'"),
        (["context", "How high?", "--budget", "1", "--library", "lib"], "budget"),
        (["context", "How high?", "--budget", "0", "--library", "lib"], "budget"),
        (["search", "Why?", "--filter", "year", "--library", "lib"], "write it as key=value"),
        (["search", "Why?", "--library", "nowhere"], "nowhere; make one with `decoct ingest"),
        (["search", "Why?", "--library", ""], "--library is empty"),  # and not the library of the settings
        (["search", "Why?", "--library", "docs"], "docs; make one with `decoct ingest"),
        (["search", "Why?", "--library", "docs/alps.txt"], "alps.txt is a file, not a library"),
        (["ingest", "gone.txt", "--library", "lib"], "gone.txt"),
        (["ingest", "", "--library", "lib"], "an empty text names no"),  # it was the working directory
        (
            ["documents", "delete", "--source", "", "--library", "lib"],
            "--source is empty",
        ),  # and all that came from there
        (["ingest", "--library", "lib"], "name the files"),
        (["ask", "Why?", "--no-such-option"], "no-such-option"),
        (["recipes", "show", "naiv"], "did you mean 'naive'"),
        (["models", "pull", "no-such-model"], "no-such-model"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, library: str, arguments: list[str], message: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert message.casefold() in err.casefold()


def test_an_empty_library_says_what_to_do(run: Run, library: str) -> None:
    run("documents", "delete", "f", "docs/aare.md", "docs/alps.txt", "--library", library)
    code, _, err = run("ask", "Why?", "--library", library)
    assert code == 2
    assert "decoct ingest" in err


def test_ctrl_c_says_how_to_go_on(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("decoct.library.Library.add", interrupted)
    code, _, err = run("ingest", "docs", "--library", library)
    assert code == 130
    assert err.strip() == "decoct: interrupted; what was committed is kept, run the same command to go on"
    monkeypatch.setattr("decoct.library.Library.ask", interrupted)
    assert run("ask", "How high?", "--library", library) == (130, "", "decoct: interrupted\n")


def test_doctor_reports_damage_found_on_the_way(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> str:
        raise StoreError("the library lib is damaged")

    monkeypatch.setattr("decoct.index.embedded.store.EmbeddedStore.text", damaged)
    code, out, err = run("doctor", "--library", library, "--json")
    assert (code, err) == (1, "")
    assert parsed(out)[-1] == {"what": "library lib", "state": "broken", "detail": "the library lib is damaged"}


def test_a_recipe_file_that_is_no_text_is_named(run: Run, library: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    code, _, err = run("ask", "Why?", "--recipe", "bad.toml", "--library", library)
    assert code == 2
    assert "bad.toml: the recipe cannot be read" in err


def test_other_libraries_in_a_folder_are_not_documents(run: Run, library: str) -> None:
    code, out, err = run("ingest", ".", "--library", "other", "--json")
    assert (code, err, parsed(out)["documents"], parsed(out)["failures"]) == (0, "", 3, [])


def test_bytes_that_are_no_text_do_not_end_in_a_traceback(run: Run, library: str) -> None:
    code, _, _ = run("search", "Aare \udce9", "--filter", "year=18\udce9", "--library", library)
    assert code == 1  # found nothing


def test_filters_of_the_api_may_be_numbers(run: Run, library: str) -> None:
    with Library.open(library) as opened:
        assert [hit.chunk.span.doc_id for hit in opened.search("How high?", where={"year": 1812})] == ["f"]
        assert [info.id for info in opened.documents({"year": [1811, "1812"]})] == ["f"]


def test_a_range_without_characters_is_a_wrong_call(run: Run, library: str) -> None:
    assert run("documents", "show", "f", "--start", "4", "--end", "18", "--library", library)[1] == "Finsteraarhorn\n"
    for place in (("--start", "18", "--end", "4"), ("--start", "4", "--end", "4"), ("--end", "0")):
        code, out, err = run("documents", "show", "f", *place, "--library", library)
        assert (code, out) == (2, "")
        assert "it has 40" in err


def test_copying_nothing_or_to_itself_is_a_wrong_call(run: Run, library: str) -> None:
    for places, said in ((("nothing", "new"), "no library at nothing"), ((library, library), "to itself")):
        code, _, err = run("copy", *places)
        assert code == 2
        assert said in err


def test_the_package_is_the_command(run: Run, library: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "decoct", "status", "--library", library, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert parsed(done.stdout)["documents"] == 3
