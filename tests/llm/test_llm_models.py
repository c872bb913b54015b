"""The models folder: pulling from a hub in memory, from a URL and from a path."""

import hashlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from decoct.errors import ConfigError, ModelUnavailableError
from decoct_local import models
from decoct_local.models import KNOWN, find, installed, listing, pull

DATA = b"GGUF" + bytes(range(256)) * 9000
SHA = hashlib.sha256(DATA).hexdigest()
URL = "https://example.org/models/tiny.gguf"


class Hub:
    """Serves DATA, with ranges; breaks off after `breaks` bytes while there are any."""

    def __init__(self, *breaks: int) -> None:
        self.breaks = list(breaks)
        self.ranges: list[str | None] = []

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self._answer), follow_redirects=True)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        wanted = request.headers.get("range")
        self.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start >= len(DATA):
            return httpx.Response(416)
        headers = {"content-length": str(len(DATA) - start)}
        return httpx.Response(206 if wanted else 200, headers=headers, content=self._bytes(DATA[start:], request))

    def _bytes(self, data: bytes, request: httpx.Request) -> Any:
        if self.breaks:
            yield data[: self.breaks.pop(0)]
            raise httpx.ReadError("connection reset", request=request)
        yield data


def test_a_url_is_taken_with_its_checksum(tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    path = pull(URL, sha256=SHA.upper(), into=tmp_path, client=Hub().client(), progress=lambda *step: seen.append(step))
    assert path == tmp_path / "tiny.gguf"
    assert path.read_bytes() == DATA
    assert seen[-1] == (len(DATA), len(DATA))
    assert installed(tmp_path) == [path]
    assert find("tiny", tmp_path) == path
    assert pull(URL, sha256=SHA, into=tmp_path) == path  # there already: nothing is fetched


@pytest.mark.parametrize("url", ["http://example.org/a.gguf", "https://example.org/a.bin", "file:///etc/a.gguf"])
def test_other_urls_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="https"):
        pull(url, sha256=SHA, into=tmp_path)


def test_a_url_without_a_checksum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SHA-256"):
        pull(URL, into=tmp_path)


def test_a_download_goes_on_where_it_stopped(tmp_path: Path) -> None:
    hub = Hub(1000, 2000)
    for _ in range(2):
        with pytest.raises(ModelUnavailableError, match="takes it up again"):
            pull(URL, sha256=SHA, into=tmp_path, client=hub.client())
        assert installed(tmp_path) == []
    assert pull(URL, sha256=SHA, into=tmp_path, client=hub.client()).read_bytes() == DATA
    assert hub.ranges == [None, "bytes=1000-", "bytes=3000-"]
    assert list(tmp_path.iterdir()) == [tmp_path / "tiny.gguf"]


def test_a_whole_partial_file_needs_no_more(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.partial").write_bytes(DATA)
    assert pull(URL, sha256=SHA, into=tmp_path, client=Hub().client()).read_bytes() == DATA


def test_another_file_is_thrown_away(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not the file it should be"):
        pull(URL, sha256="0" * 64, into=tmp_path, client=Hub().client())
    assert list(tmp_path.iterdir()) == []
    pull(URL, sha256=SHA, into=tmp_path, client=Hub().client())
    with pytest.raises(ConfigError, match="is another file"):
        pull(URL, sha256="0" * 64, into=tmp_path)


def test_a_way_off_https_is_refused(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.scheme == "https":
            return httpx.Response(302, headers={"location": "http://example.org/tiny.gguf"})
        return httpx.Response(200, content=DATA)

    client = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
    with pytest.raises(ConfigError, match="without https"):
        pull(URL, sha256=SHA, into=tmp_path, client=client)


def test_a_missing_file_at_the_hub(tmp_path: Path) -> None:
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(404)))
    with pytest.raises(ModelUnavailableError, match="404"):
        pull("smollm2-135m-instruct", into=tmp_path, client=client)


def test_known_models_are_checked_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=KNOWN["smollm2-135m-instruct"].sha256):
        pull("smollm2-135m-instruct", into=tmp_path, client=Hub().client())


def test_a_local_file_is_adopted(tmp_path: Path) -> None:
    source = tmp_path / "mine.gguf"
    source.write_bytes(DATA)
    path = pull(str(source), sha256=SHA, into=tmp_path / "models")
    assert path == tmp_path / "models" / "mine.gguf"
    assert path.read_bytes() == DATA
    assert pull(str(path), into=tmp_path / "models") == path
    source.unlink()
    source.write_bytes(DATA + b"x")
    with pytest.raises(ConfigError, match="already"):
        pull(str(source), into=tmp_path / "models")
    with pytest.raises(ConfigError, match="not the file it should be"):
        pull(str(source), sha256=SHA, into=tmp_path / "other")
    source.write_bytes(b"PK")
    with pytest.raises(ConfigError, match="not a GGUF file"):
        pull(str(source), into=tmp_path / "other")


def test_an_unknown_name_says_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'smollm2-135m-instruct'"):
        pull("smollm-135m-instruct", into=tmp_path)


def test_the_folder_and_its_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECOCT_MODELS", str(tmp_path))
    (tmp_path / "mine.gguf").write_bytes(bytes(2_000_000))
    assert models.folder() == tmp_path
    rows = {row["name"]: row for row in listing()}
    assert rows["mine"] == {"name": "mine", "MB": "2", "installed": "yes", "licence": "", "use": ""}
    assert rows["smollm2-135m-instruct"]["installed"] == "no"
    assert find("../mine") is None
    monkeypatch.delenv("DECOCT_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert models.folder() == Path("/somewhere/decoct/models")
