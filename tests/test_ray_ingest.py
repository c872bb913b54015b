"""Ingest on Ray stores what ingest on one machine stores, also when workers are killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.errors import ConfigError
from decoct.index.entries import digest_of
from decoct.ingest_report import Report
from decoct.ray_ingest import Collected, documents_of, ray_ingest
from decoct.testing.hash_embedder import HashEmbedder
from decoct.testing.store_corpus import make_entry

LOCAL: dict[str, Any] = {
    "address": "local", "include_dashboard": False, "log_to_driver": False, "num_cpus": 3, "_node_ip_address": "127.0.0.1",
}  # fmt: skip
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """One Ray for the module's tests; `ray_ingest` uses what is there."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(
        address="local",
        include_dashboard=False,
        log_to_driver=False,
        num_cpus=3,
        object_store_memory=200 << 20,
        _node_ip_address="127.0.0.1",
    )
    yield "local"
    ray.shutdown()


@pytest.fixture
def expected(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "here") as library:
        library.add([DOCUMENTS])
        yield library


def same(one: Library, other: Library) -> None:
    ids = [info.id for info in one.documents()]
    assert [info.id for info in other.documents()] == ids
    for doc_id in ids:
        ours, theirs = (library.store.entries([doc_id])[0] for library in (one, other))  # type: ignore[attr-defined]
        assert digest_of(ours) == digest_of(theirs)


@pytest.mark.services
@pytest.mark.filterwarnings("ignore")
def test_what_is_stored_is_what_one_machine_stores(cluster: str, expected: Library, tmp_path: Path) -> None:
    told: list[int] = []
    with Library.open(tmp_path / "there") as library:
        report = ray_ingest(library, [DOCUMENTS], cluster, workers=1, progress=lambda so_far: told.append(so_far.seen))
        same(expected, library)
        assert (report.added, report.failures) == (expected.status().documents, [])
        assert told[-1] == report.added
        again = ray_ingest(library, [DOCUMENTS], cluster, workers=1)
        assert (again.added, again.unchanged, again.chunks) == (0, report.added, 0)
        assert not list(Path(tmp_path / "nothing").glob("*"))
        missing = ray_ingest(library, [tmp_path / "nowhere"], cluster)
        assert len(missing.failures) == 1


@pytest.mark.services
@pytest.mark.filterwarnings("ignore")
def test_killed_workers_lose_nothing(cluster: str, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(200):
        (folder / f"{n:03}.md").write_text(
            f"# Bridge {n}\n\n" + f"The bridge of year {n} was opened by Ada Lovelace. " * 12
        )
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and len(killed) < 2:
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit() and int(entry.name) not in killed:
                    try:
                        title = (entry / "cmdline").read_bytes()
                        parents = (entry / "status").read_text()
                    except OSError:
                        continue
                    if b"ray::MapWorker" in title and mine(parents):
                        time.sleep(1)
                        os.kill(int(entry.name), signal.SIGKILL)
                        killed.append(int(entry.name))
                        break
            time.sleep(0.2)

    def mine(status: str) -> bool:
        """Whether the process descends from this one: others on the machine may run Ray too."""
        for _ in range(10):
            parent = next(line.split()[1] for line in status.splitlines() if line.startswith("PPid"))
            if int(parent) == os.getpid():
                return True
            if parent in {"0", "1"}:
                return False
            status = Path(f"/proc/{parent}/status").read_text()
        return False

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with Library.open(tmp_path / "there") as library:
            report = ray_ingest(library, [folder], cluster, workers=1)
            found = library.status().documents
            whole = next(iter(library.store.verify())).damaged  # type: ignore[attr-defined]
    finally:
        done.set()
        killer.join()
    assert killed
    assert (found, report.added, report.failures, whole) == (200, 200, [], ())


@pytest.mark.services
@pytest.mark.filterwarnings("ignore")
def test_an_object_store(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An S3-compatible server on loopback, and `file://`."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        endpoint = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        client = boto3.client("s3", endpoint_url=endpoint)
        client.create_bucket(Bucket="shelf")
        client.put_object(Bucket="shelf", Key="notes/a.md", Body=b"# Bridge\n\nThe bridge was opened in 1934.")
        client.put_object(Bucket="shelf", Key="notes/deep/b.txt", Body=b"The lighthouse stands on a rock.")
        rows = documents_of({"place": "s3://shelf/notes/a.md", "name": "notes/a.md", "origin": "s3://shelf/notes/a.md"})
        assert len(rows) == 1
        import ray

        environment = {name: os.environ[name] for name in os.environ if name.startswith("AWS_")}
        ray.shutdown()
        ray.init(**LOCAL, runtime_env={"env_vars": environment})
        with Library.open(tmp_path / "there") as library:
            report = ray_ingest(
                library, ["s3://shelf/notes", DOCUMENTS.as_uri() + "/tnt.md", "s3://shelf/absent"], "local", workers=1
            )
            assert sorted(info.id for info in library.documents()) == ["notes/a.md", "notes/deep/b.txt", "tnt.md"]
            assert library.document("notes/a.md").source == "s3://shelf/notes/a.md"
            assert [failure.source for failure in report.failures] == ["s3://shelf/absent"]
    finally:
        server.stop()


def test_an_embedder_of_this_process_cannot_be_opened_elsewhere(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add([Document("a", "The bridge was opened.")])
        with pytest.raises(ConfigError, match="object of this process"):
            ray_ingest(library, [DOCUMENTS])


def test_an_actor_passes_over_what_the_library_has() -> None:
    store = Collected({"a": "x-1"})
    assert store.digests(["a", "b"]) == {"a": "x-1"}
    assert store.with_digests(["x"]) == {}
    store.put([make_entry("b", ["river"])])
    assert [entry.document.id for entry in store.entries] == ["b"]


def test_what_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    rows = documents_of({"place": str(tmp_path / "gone.md"), "name": "gone.md", "origin": "gone.md"})
    assert len(rows) == 1
    assert Report().failures == []
