"""A structure that workers build is the one that one machine builds: with a double in Ray's place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_double import RayDouble
from spread_work import SmallModel, filled, made, told

from decoct import Library
from decoct.embed.minilm import MiniLM
from decoct.errors import ClusterError, ConfigError, ModelUnavailableError, StaleIndexError
from decoct_lab.structure.build import StructureReport
from decoct_ray.pool import RayPool
from decoct_ray.structure import NamedEmbedder, SpreadLLM, spread_build
from decoct_testing.hash_embedder import HashEmbedder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of ten documents, which tests copy."""
    return filled(tmp_path_factory.mktemp("base") / "library", 10)


@pytest.fixture
def here(base: Path, tmp_path: Path) -> Iterator[Library]:
    with Library.open(shutil.copytree(base, tmp_path / "here")) as opened:
        yield opened


@pytest.fixture
def there(base: Path, tmp_path: Path) -> Iterator[Library]:
    with Library.open(shutil.copytree(base, tmp_path / "there")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "settings", "model"),
    [
        ("linearrag", {}, None),
        ("raptor", {"layout": "pca", "leaf_tokens": 20}, None),
        ("raptor", {"layout": "pca", "leaf_tokens": 20}, SmallModel()),
        ("hipporag2", {}, SmallModel(fails="1857")),
        ("t-rag", {}, None),
    ],
)
def test_the_same_structure(
    name: str,
    settings: dict[str, Any],
    model: SmallModel | None,
    here: Library,
    there: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("decoct_lab.structure.build.BATCH", 2)
    here.llm = there.llm = model
    ray = RayDouble()
    expected = here.structure(name, settings).run()
    report = spread_build(there, name, RayPool(ray, 2), settings).run()
    assert told(report) == told(expected)
    assert made(tmp_path / "there", name) == made(tmp_path / "here", name)
    assert ray.calls >= 3
    if model is not None:
        assert report.spent.calls > 0
        assert report.fallbacks["small.asked"] == report.spent.calls
    # What one began the other goes on with: nothing is left to read, but for what failed.
    again = spread_build(here, name, RayPool(RayDouble(), 2), settings).run()
    assert again.read == len(report.failures)


def test_failed_chunks_are_counted_and_tried_again(there: Library) -> None:
    there.llm = SmallModel(fails="1853")
    report = spread_build(there, "hipporag2", RayPool(RayDouble(), 2)).run()
    assert (report.failed, report.failures) == (1, {"d003": ["too slow"]})
    there.llm = SmallModel()
    report = spread_build(there, "hipporag2", RayPool(RayDouble(), 2)).run()
    assert (report.read, report.failed) == (1, 0)


def test_what_was_read_before_the_cluster_was_lost_is_kept(
    here: Library, there: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("decoct_lab.structure.build.BATCH", 2)
    with pytest.raises(ClusterError, match="run it again"):
        spread_build(there, "linearrag", RayPool(RayDouble(lose={3}), 2)).run()
    report = spread_build(there, "linearrag", RayPool(RayDouble(), 2)).run()
    assert (report.read, report.unchanged) == (4, 6)
    here.structure("linearrag").run()
    ours, theirs = made(tmp_path / "here", "linearrag"), made(tmp_path / "there", "linearrag")
    assert ours == theirs


def test_a_stopped_build_goes_on(there: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct_lab.structure.build.BATCH", 2)

    def stop(report: StructureReport) -> None:
        if report.done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spread_build(there, "linearrag", RayPool(RayDouble(), 2)).run(stop)
    assert spread_build(there, "linearrag", RayPool(RayDouble(), 2)).run().read == 4


def test_a_model_that_is_away_ends_the_build(there: Library) -> None:
    there.llm = SmallModel(away=True)
    with pytest.raises(ModelUnavailableError, match="nobody answers"):
        spread_build(there, "hipporag2", RayPool(RayDouble(), 2)).run()


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
