"""The OpenAPI description is true: schemathesis makes requests of it, right and wrong ones, and finds nothing (`make test-services`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from live import LiveServer

from decoct import Document, Library
from decoct.server.keys import Keys, grants

pytestmark = pytest.mark.services
EXAMPLES = 12  # generated requests a route, beside those that cover each constraint of its schema
REACHED = ("ask", "context", "search", "documents")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("keys", [False, True], ids=["without-keys", "with-a-key"])
def test_schemathesis_finds_nothing(tmp_path: Path, keys: bool) -> None:
    with Library.open(tmp_path / "handbook") as library:
        library.add([Document("bridge", "The old bridge was opened in 1934.", metadata={"year": 1934})])
    more, headers = [], []
    if keys:
        _, token = Keys(tmp_path / "state").add(grants(["handbook:write"]))
        more, headers = ["--keys"], ["--header", f"Authorization: Bearer {token}"]
    server = LiveServer(tmp_path, "--state", "state", "--library", "handbook", *more)
    try:
        httpx.get(f"{server.url}/openapi.json", timeout=400)  # made once; schemathesis waits ten seconds for it
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("st")), "--config-file", str(Path(__file__).with_name("schemathesis.toml")),
                "run", f"{server.url}/openapi.json", "--checks", "all", "--max-examples", str(EXAMPLES),
                "--phases", "examples,coverage,fuzzing", "--seed", "1", "--no-color", "--rate-limit", "50/s",
                "--request-timeout", "300", "--max-response-time", "300",
                "--exclude-path-regex", "/events$", *headers,
            ],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        # Where nothing failed it names only routes of which requests saw nothing but a refusal: these see a library (recipes are made up).
        assert [one for one in REACHED if f"POST /api/v1/libraries/{{lib}}/{one}\n" in done.stdout] == []
        assert server.api.get("/recipes", headers=dict(one.split(": ") for one in headers[1:])).status_code == 200
    finally:
        server.stop()
