"""Ingest on Ray stores what ingest on one machine stores, also when workers and the writer are killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ray_processes import actors, at_work

from decoct import Document, Library
from decoct.errors import ClusterError, ConfigError
from decoct.index.entries import digest_of
from decoct_ray.ingest import ray_ingest
from decoct_testing.hash_embedder import HashEmbedder

# Ray warns of its own; its processes start one after the other, and late on a busy machine.
pytestmark = [pytest.mark.services, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]
DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "300",
}


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An S3-compatible server on loopback, with some notes."""
    import boto3
    from moto.server import ThreadedMotoServer

    before = dict(os.environ)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    endpoint = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    os.environ.update(ENVIRONMENT, AWS_ENDPOINT_URL=endpoint)
    pytest.importorskip("s3fs").S3FileSystem.clear_instance_cache()  # those of a server before
    client = boto3.client("s3", endpoint_url=endpoint)
    client.create_bucket(Bucket="shelf")
    client.put_object(Bucket="shelf", Key="notes/a.md", Body=b"# Bridge\n\nThe bridge was opened in 1934.")
    client.put_object(Bucket="shelf", Key="notes/deep/b.txt", Body=b"The lighthouse stands on a rock.")
    yield "s3://shelf/notes"
    server.stop()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def cluster(bucket: str) -> Iterator[str]:
    """One small Ray for the module's tests, with the environment of the storage; `ray_ingest` uses what is there."""
    import ray

    ray.init(
        address="local",
        include_dashboard=False,
        log_to_driver=False,
        num_cpus=2,
        object_store_memory=100 << 20,
        _node_ip_address="127.0.0.1",
    )
    yield "local"
    ray.shutdown()


def same(one: Library, other: Library) -> None:
    ids = [info.id for info in one.documents()]
    assert [info.id for info in other.documents()] == ids
    for doc_id in ids:
        ours, theirs = (library.store.entries([doc_id])[0] for library in (one, other))  # type: ignore[attr-defined]
        assert digest_of(ours) == digest_of(theirs)


def bridges(folder: Path, count: int) -> Path:
    folder.mkdir()
    for n in range(count):
        text = f"# Bridge {n}\n\n" + f"The bridge of year {n} was opened by Ada Lovelace. " * 12
        (folder / f"{n:03}.md").write_text(text)
    return folder


def test_what_is_stored_is_what_one_machine_stores(cluster: str, tmp_path: Path) -> None:
    folder = bridges(tmp_path / "notes", 5)
    (folder / "bleu.pdf").write_bytes((DOCUMENTS / "bleu.pdf").read_bytes())
    (folder / "rows.jsonl").write_text('{"id": "r1", "text": "The first row."}\n{"id": "r2"}\n')
    told: list[tuple[int, int]] = []
    with Library.open(tmp_path / "here") as here, Library.open(tmp_path / "there") as there:
        expected = here.sync([folder])
        report = ray_ingest(
            there, [folder], cluster, workers=1, progress=lambda now: told.append((now.done, now.total))
        )
        same(here, there)
        assert (report.added, report.chunks) == (expected.added, expected.chunks)
        assert [failure.source for failure in report.failures] == [failure.source for failure in expected.failures]
        assert told[0] == (0, 7)
        assert told[-1][0] == report.added
        assert [hit.chunk.span for hit in there.search("Who opened the bridge?", 3)] != []
        # Unchanged costs nothing; what changed is replaced, what vanished is told and, if asked for, removed, what moved is known.
        (folder / "000.md").write_text("# Another")
        (folder / "001.md").unlink()
        again = ray_ingest(there, [folder], cluster, workers=1)
        assert (again.added, again.replaced, again.unchanged) == (0, 1, report.added - 2)
        assert (again.gone_ids, again.removed) == (["notes/001.md"], 0)
        pruned = ray_ingest(there, [folder], cluster, workers=1, prune=True)
        assert (pruned.removed, pruned.chunks) == (1, 0)
        here.sync([folder], prune=True)
        same(here, there)
        moved = tmp_path / "elsewhere" / "notes"
        moved.parent.mkdir()
        folder.rename(moved)
        last = ray_ingest(there, [moved], cluster, workers=1)
        assert last.gone == 0
        assert there.document("notes/002.md").source == str(moved / "002.md")


def test_objects_of_a_storage(cluster: str, bucket: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "there") as library:
        given = [bucket, (DOCUMENTS / "tnt.md").as_uri(), "s3://shelf/absent"]
        report = ray_ingest(library, given, cluster, workers=1)
        assert sorted(info.id for info in library.documents()) == ["notes/a.md", "notes/deep/b.txt", "tnt.md"]
        assert library.document("notes/a.md").source == "s3://shelf/notes/a.md"
        assert library.document("tnt.md").source == str(DOCUMENTS / "tnt.md")
        assert [failure.source for failure in report.failures] == ["s3://shelf/absent"]
        again = ray_ingest(library, [bucket], cluster, workers=1, prune=True)
        assert (again.unchanged, again.gone) == (2, 0)


def test_killed_workers_lose_nothing(cluster: str, tmp_path: Path) -> None:
    folder = bridges(tmp_path / "many", 300)
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and len(killed) < 2:
            for pid in actors("MapWorker"):
                if pid not in killed and at_work(pid, done):
                    with contextlib.suppress(ProcessLookupError):  # it was through already
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
                    break
            time.sleep(0.1)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with Library.open(tmp_path / "there") as library:
            report = ray_ingest(library, [folder], cluster, workers=1)
            found = library.status().documents
            damaged = [one for checked in library.store.verify() for one in checked.damaged]  # type: ignore[attr-defined]
    finally:
        done.set()
        killer.join()
    assert killed
    assert (found, report.added, report.failures, damaged) == (300, 300, [], [])


def test_an_error_of_a_worker_is_that_error(cluster: str, tmp_path: Path) -> None:
    """The workers' embedder is not the library's: none may make vectors that cannot be compared."""
    from decoct.errors import StaleIndexError

    with Library.open(tmp_path / "there") as library:
        library.embedder = HashEmbedder()  # its fingerprint is what the library now says
        with pytest.raises(StaleIndexError, match="a worker's embedder"):
            ray_ingest(library, [DOCUMENTS / "tnt.md"], cluster, workers=1)


def test_a_killed_writer_goes_on_where_it_was(bucket: str, tmp_path: Path) -> None:
    """The whole command, with a Ray of its own, killed after the first batch was stored, and run again."""
    folder = bridges(tmp_path / "many", 100)
    command = [sys.executable, "-c", "from decoct.cli import main; main()", "ingest", str(folder)]
    command += ["--library", str(tmp_path / "there"), "--ray", "local", "--ray-workers", "1", "--json"]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 600
    stored = 0
    while not stored and first.poll() is None and time.monotonic() < until:
        time.sleep(0.2)
        if (tmp_path / "there" / "library.db").exists():
            with Library.open(tmp_path / "there") as library:
                stored = library.status().documents
    first.kill()
    first.wait()
    assert stored
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Library.open(tmp_path / "there") as there, Library.open(tmp_path / "here") as here:
        here.add([folder])
        same(here, there)


def test_what_cannot_be_spread_is_told(tmp_path: Path) -> None:
    with Library.open(tmp_path / "own", embedder=HashEmbedder()) as library:
        library.add([Document("a", "The bridge was opened.")])
        with pytest.raises(ConfigError, match="object of this process"):
            ray_ingest(library, [DOCUMENTS])


def test_no_cluster_at_an_address(tmp_path: Path) -> None:
    import ray

    ray.shutdown()
    with Library.open(tmp_path / "there") as library, pytest.raises(ClusterError, match="there is no Ray cluster"):
        ray_ingest(library, [DOCUMENTS], "auto")
