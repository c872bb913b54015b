"""What a release hands out: the description on an index, licences, the container, and distributions that are the same when built again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement
from trove_classifiers import classifiers

ROOT = Path(__file__).parent.parent
FOLDERS = [ROOT, ROOT / "lab", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
HOME = "https://forge.example/somebody/decoct"
RELATIVE = re.compile(r"\]\((?!https?:|#)[^)]*\)")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_changelog_and_the_citation_tell_the_version_and_its_day() -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    heading = re.search(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert heading is not None
    assert heading.groups() == (cited["version"], cited["date-released"])
    assert core["version"] == cited["version"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_distribution_says_what_stage_and_which_pythons(folder: Path) -> None:
    told = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    assert set(told) <= classifiers
    assert "Development Status :: 5 - Production/Stable" in told
    assert [one.rsplit(" ", 1)[1] for one in told if "Python ::" in one] == ["3.11", "3.12", "3.13"]
    assert told == sorted(told)


def test_the_description_on_an_index_leads_to_the_repository(build: ModuleType) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = build.description(text, HOME)
    assert not RELATIVE.search(shown)
    assert "![An answer" in shown
    assert f"({HOME}/raw/main/docs/images/page.png)" in shown
    assert f"({HOME}/blob/main/docs/quick-start.md)" in shown
    for place in re.findall(rf"{HOME}/(?:blob|raw)/main/([^)#\s]+)", shown):
        assert (ROOT / place).exists(), place


def test_the_description_on_an_index_installs_by_name(build: ModuleType) -> None:
    shown = build.description((ROOT / "README.md").read_text("utf-8"), HOME)
    installed = set(re.findall(r"pip install ([^\s`,)#]+)", shown))
    names = {re.split(r"[\['\"]", one.strip("'\""))[0] for one in installed}
    assert names == {
        tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["name"] for folder in FOLDERS
    }
    assert "checkout" not in shown
    assert "examples/documents " not in shown


def test_without_a_known_home_the_description_leads_nowhere_wrong(build: ModuleType) -> None:
    shown = build.description((ROOT / "README.md").read_text("utf-8"), "")
    assert not RELATIVE.search(shown)
    assert "docs/images/page.png" not in shown
    assert "uick start" in shown


@pytest.mark.parametrize("folder", FOLDERS[1:], ids=lambda path: path.name)
def test_a_distribution_beside_the_core_has_its_licence_and_no_dead_link(folder: Path) -> None:
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert not RELATIVE.search((folder / "README.md").read_text("utf-8"))


def needed(
    name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]
) -> Iterator[importlib.metadata.Distribution]:
    """A distribution that is installed here and all that it needs."""
    if (name, extras) in seen:
        return
    seen.add((name, extras))
    found = importlib.metadata.distribution(name)
    yield found
    for line in found.requires or ():
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            yield from needed(one.name.lower().replace("_", "-"), frozenset(one.extras), seen)


def licence(distribution: importlib.metadata.Distribution) -> str:
    """What a distribution says of its licence."""
    told = distribution.metadata
    classified = [line for line in told.get_all("Classifier") or () if line.startswith("License ::")]
    named = [text[:200] for field in ("License-Expression", "License") for text in told.get_all(field) or ()]
    return " ".join([*named, *classified]).strip()


def test_what_the_container_holds_may_be_handed_on() -> None:
    seen: set[tuple[str, frozenset[str]]] = set()
    found = {
        one.metadata["Name"]: licence(one) for one in needed("decoct", frozenset({"server", "mcp", "openai"}), seen)
    }
    assert len(found) > 60
    assert [name for name, told in found.items() if not told] == []
    strict = {name for name, told in found.items() if re.search(r"(?<!L)\bA?GPL|Affero|SSPL|BUSL", told)}
    assert strict == {"docutils"}  # public domain and BSD; the GPL is of an Emacs mode that its wheel does not hold


def test_the_container_runs_as_nobody_with_a_volume_and_a_health_check() -> None:
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    last = [
        line.split()[0]
        for line in lines[[i for i, line in enumerate(lines) if line.startswith("FROM")][-1] :]
        if line.strip()
    ]
    assert {"USER", "VOLUME", "HEALTHCHECK", "ENTRYPOINT"} <= set(last)
    assert "USER 10001" in lines
    copied = {word for line in lines if line.startswith("COPY") and "--from" not in line for word in line.split()[1:-1]}
    assert all((ROOT / place).exists() for place in copied)
    assert "hatch_build.py" in copied
    sent = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    assert copied <= set(sent), "what .dockerignore keeps back cannot be copied"


@pytest.mark.parametrize("name", ["compose.yaml", "deploy/compose.postgresql.yaml"])
def test_a_compose_file_serves_on_a_volume_and_reaches_what_it_names(name: str) -> None:
    made = yaml.safe_load((ROOT / name).read_text("utf-8"))
    service = made["services"]["decoct"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert any(volume.startswith("data:") for volume in service["volumes"])
    assert "data" in made["volumes"]
    assert set(service.get("depends_on", ())) <= set(made["services"])


@pytest.mark.slow
def test_every_distribution_is_the_same_when_built_again_and_installs(tmp_path: Path) -> None:
    made: list[dict[str, str]] = []
    for time in ("first", "second"):
        copy = tmp_path / time / "source"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", "benchmarks", "dist", "site")
        )
        for path in copy.rglob("*.md"):
            os.utime(path, (len(made) * 1000 + 1, len(made) * 1000 + 1))
        out = tmp_path / time / "dist"
        for folder in FOLDERS:
            subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "-d", str(out)],
                cwd=copy / folder.relative_to(ROOT), env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}, check=True, capture_output=True,
            )  # fmt: skip
        made.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())})
    assert len(made[0]) == 2 * len(FOLDERS)
    assert made[0] == made[1]
    wheels = sorted(out.glob("*.whl"))
    assert max(wheel.stat().st_size for wheel in wheels) < 87_000_000  # the README says 85 MB
    assert all("demo_documents" not in name for wheel in wheels for name in zipfile.ZipFile(wheel).namelist())
    for archive in out.glob("*.tar.gz"):
        with tarfile.open(archive) as packed:
            assert any(name.endswith("/LICENSE") for name in packed.getnames()), archive
    empty = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(empty)], check=True)
    python = empty / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", *wheels],
        check=True,
        env=clean(),
        cwd=tmp_path,
    )
    # Nothing is fetched: what the distributions need is this environment's, behind the new one's own.
    here = [path for path in sys.path if path.endswith("site-packages")]
    (next(empty.glob("lib/*/site-packages")) / "needed.pth").write_text("\n".join(here), "utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bridge.md").write_text("# Bridge\n\nThe bridge over the Aare was opened in 1934.\n", "utf-8")
    names = "decoct decoct_lab decoct_local decoct_milvus decoct_postgresql decoct_ray decoct_testing".split()
    places = subprocess.run(
        [python, "-c", f"import {', '.join(names)}\nprint(*[one.__file__ for one in ({', '.join(names)})])"],
        check=True, capture_output=True, text=True, env=clean(), cwd=tmp_path,
    ).stdout.split()  # fmt: skip
    assert all(place.startswith(str(empty)) for place in places)
    decoct = str(empty / "bin" / "decoct")
    subprocess.run(
        [decoct, "ingest", "notes", "--library", "lib"], check=True, env=clean(), cwd=tmp_path, capture_output=True
    )
    asked = [decoct, "ask", "When was the bridge over the Aare opened?", "--library", "lib"]
    answer = subprocess.run(asked, check=True, env=clean(), cwd=tmp_path, capture_output=True, text=True).stdout
    assert "1934" in answer


def clean() -> dict[str, str]:
    """The environment without what leads to other copies of Decoct."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DECOCT_", "VIRTUAL_ENV"))
    }
