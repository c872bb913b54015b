"""A structure that workers build is the one that one machine builds: with a double in Ray's place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ray_double import RayDouble
from spread_work import SmallModel, library, made, told

from decoct import Library
from decoct.cluster.pool import RayPool
from decoct.cluster.structure import NamedEmbedder, SpreadLLM, spread_build
from decoct.embed.minilm import MiniLM
from decoct.errors import ClusterError, ConfigError, ModelUnavailableError, StaleIndexError
from decoct.structure.build import StructureReport
from decoct.testing.hash_embedder import HashEmbedder


def pair(folder: Path, count: int = 30) -> tuple[Library, Library]:
    """Two libraries of the same documents."""
    return library(folder / "here", count), library(folder / "there", count)


@pytest.mark.parametrize(
    ("name", "settings", "model"),
    [
        ("linearrag", {}, None),
        ("treerag", {}, None),
        ("raptor", {"layout": "pca", "leaf_tokens": 20}, None),
        ("raptor", {"layout": "pca", "leaf_tokens": 20}, SmallModel()),
        ("hipporag2", {}, SmallModel(fails="1857")),
        ("t-rag", {}, None),
    ],
)
def test_the_same_structure(
    name: str, settings: dict[str, Any], model: SmallModel | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("decoct.structure.build.BATCH", 7)
    here, there = pair(tmp_path)
    with here, there:
        here.llm = there.llm = model
        ray = RayDouble()
        expected = here.structure(name, settings).run()
        report = spread_build(there, name, RayPool(ray, 2), settings).run()
        assert told(report) == told(expected)
        assert made(tmp_path / "there", name) == made(tmp_path / "here", name)
        assert ray.calls >= 4
        if model is not None:
            assert report.spent.calls > 0
            assert report.fallbacks["small.asked"] == report.spent.calls
        # What one began the other goes on with: nothing is left to read, but for what failed.
        again = spread_build(here, name, RayPool(RayDouble(), 2), settings).run()
        assert again.read == len(report.failures)


def test_failed_chunks_are_counted_and_tried_again(tmp_path: Path) -> None:
    with library(tmp_path / "it", 10) as it:
        it.llm = SmallModel(fails="1853")
        report = spread_build(it, "hipporag2", RayPool(RayDouble(), 2)).run()
        assert (report.failed, report.failures) == (1, {"d003": ["too slow"]})
        it.llm = SmallModel()
        report = spread_build(it, "hipporag2", RayPool(RayDouble(), 2)).run()
        assert (report.read, report.failed) == (1, 0)


def test_what_was_read_before_the_cluster_was_lost_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.structure.build.BATCH", 5)
    here, there = pair(tmp_path)
    with here, there:
        with pytest.raises(ClusterError, match="run it again"):
            spread_build(there, "linearrag", RayPool(RayDouble(lose={3}), 2)).run()
        report = spread_build(there, "linearrag", RayPool(RayDouble(), 2)).run()
        assert (report.read, report.unchanged) == (15, 15)
        here.structure("linearrag").run()
        ours, theirs = made(tmp_path / "here", "linearrag"), made(tmp_path / "there", "linearrag")
        assert ours == theirs


def test_a_stopped_build_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.structure.build.BATCH", 5)

    def stopping(at: int) -> Callable[[StructureReport], None]:
        def told_of(report: StructureReport) -> None:
            if report.done >= at:
                raise KeyboardInterrupt

        return told_of

    with library(tmp_path / "it") as it:
        with pytest.raises(KeyboardInterrupt):
            spread_build(it, "linearrag", RayPool(RayDouble(), 2)).run(stopping(20))
        assert spread_build(it, "linearrag", RayPool(RayDouble(), 2)).run().read == 10


def test_a_model_that_is_away_ends_the_build(tmp_path: Path) -> None:
    with library(tmp_path / "it", 10) as it:
        it.llm = SmallModel(away=True)
        with pytest.raises(ModelUnavailableError, match="nobody answers"):
            spread_build(it, "hipporag2", RayPool(RayDouble(), 2)).run()


def test_an_embedder_without_a_name_is_told(tmp_path: Path) -> None:
    with (
        Library.open(tmp_path / "own", embedder=HashEmbedder()) as own,
        pytest.raises(ConfigError, match="object of this process"),
    ):
        spread_build(own, "linearrag", RayPool(RayDouble(), 2))


def test_a_worker_with_another_embedder_is_told() -> None:
    assert NamedEmbedder("minilm", MiniLM().fingerprint, 384).embed(["x"], "passage").shape == (1, 384)
    with pytest.raises(StaleIndexError, match=r"a worker's embedder 'minilm' is .*, the library's other"):
        NamedEmbedder("minilm", "other", 384).embed(["x"], "passage")


def test_a_batch_is_shared_by_the_workers() -> None:
    from decoct.llm.base import Message, Request

    ray = RayDouble()
    requests = [Request((Message("user", f"{name} is here."),)) for name in ("Lund", "Graz", "Brno", "Ada Stone", "x")]
    model = SmallModel(fails="Graz")
    assert SpreadLLM(model, RayPool(ray, 2)).complete(requests)[2:] == model.complete(requests)[2:]
    assert ray.calls == 2
    assert SpreadLLM(model, RayPool(ray, 2)).complete([]) == []
