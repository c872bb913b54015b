"""Fetching a data set from the Hugging Face hub, where it can be reached; the only place that knows how.

A repository that holds a set's official files is fetched as it is (`huggingface_hub`, cached by it). One that holds tables only is read
with the package `datasets` and written once as `rows.jsonl`, which the set's loader reads like any file. Every failure is an
`EvaluationError` that says how to give the files instead.
"""

from __future__ import annotations

import importlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from decoct.errors import EvaluationError, MissingExtraError
from decoct_lab.datasets.catalogue import Hub

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def fetch(name: str, hub: Hub) -> Path:
    """A local folder with the files (or `rows.jsonl`) of the set."""
    return _files(name, hub) if hub.files else _rows(name, hub)


def _files(name: str, hub: Hub) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import GatedRepoError
    except ModuleNotFoundError:
        raise MissingExtraError("fetching a data set from the hub", "evaluate") from None
    try:
        folder = snapshot_download(
            hub.repository, repo_type="dataset", revision=hub.revision, allow_patterns=list(hub.files)
        )
    except GatedRepoError as error:
        raise EvaluationError(
            f"{name}: {hub.repository} asks you to accept its terms on huggingface.co and to set HF_TOKEN; then run this again"
        ) from error
    except Exception as error:
        raise _unreachable(name, hub, error) from error
    if not any(path.is_file() for path in Path(folder).rglob("*")):
        raise EvaluationError(
            f"{name}: {hub.repository} holds none of {', '.join(hub.files)}; give the folder of the official files with --data"
        )
    return Path(folder)


def _rows(name: str, hub: Hub) -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "decoct" / "datasets" / _slug(hub)
    target = folder / "rows.jsonl"
    if target.exists():
        return folder
    try:
        load_dataset = importlib.import_module("datasets").load_dataset
    except ModuleNotFoundError:
        raise MissingExtraError(f"fetching {name} from the hub", "evaluate") from None
    try:
        rows: Iterable[Mapping[str, object]] = load_dataset(
            hub.repository, hub.config or None, split=hub.split, revision=hub.revision
        )
    except Exception as error:
        raise _unreachable(name, hub, error) from error
    folder.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(
        ".partial"
    )  # renamed when complete, so that an interrupted fetch is not taken for a whole one
    with partial.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)
    partial.replace(target)
    return folder


def _slug(hub: Hub) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", f"{hub.repository}-{hub.config}-{hub.split}-{hub.revision}")


def _unreachable(name: str, hub: Hub, error: Exception) -> EvaluationError:
    """The hub clients raise errors of several HTTP libraries; all of them mean here that the set could not be had."""
    return EvaluationError(
        f"{name}: could not fetch {hub.repository} from the hub ({type(error).__name__}); "
        "check the network, or give the folder of its files with --data"
    )
