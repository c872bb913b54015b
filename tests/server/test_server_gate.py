"""The one way in, without a server behind it: who is let in, from where, how much, and what every response carries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from decoct.server.gate import CSP, SESSION, Gate
from decoct.server.keys import EVERYTHING, Keys, grants
from decoct.server.metrics import Metrics
from decoct.server.sessions import RequestRates, Sessions
from decoct.server.settings import ServerLimits

LIMITS = ServerLimits(json_bytes=100, upload_bytes=1000, body_idle=0.2)


@dataclass
class Answer:
    """What came out of the gate."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class House:
    """A gate with an application behind it that answers with what it read, and the server's parts that a gate looks at."""

    state: Path
    keys: bool = False
    hosts: tuple[str, ...] = ("localhost",)
    rate: float = 1000.0
    fails: Callable[[], Exception] | None = None
    fails_late: bool = False
    refuses: int = 0
    seen: list[Any] = field(default_factory=list)
    taken: int = 0

    def __post_init__(self) -> None:
        known = Keys(self.state)
        self.keyfile, self.sessions = known, Sessions(known)
        self.metrics = Metrics(lambda: 0, lambda: 0)
        settings: Any = SimpleNamespace(keys=self.keys, hosts=self.hosts, origins=(), limits=LIMITS)
        self.gate = Gate(self._app, settings, known, self.sessions, RequestRates(self.rate), self.metrics)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", scope["type"] == "http"
        self.seen.append(scope)
        if self.fails and not self.fails_late:
            raise self.fails()
        if self.refuses:
            await send({"type": "http.response.start", "status": self.refuses, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if self.fails:
            raise self.fails()
        await send({"type": "http.response.body", "body": body})

    def ask(
        self,
        path: str = "/api/v1/x",
        method: str = "GET",
        body: Sequence[bytes] = (b"",),
        host: str = "localhost:8000",
        **headers: str,
    ) -> Answer:
        given = {"host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        scope = {
            "type": "http", "method": method, "path": path, "query_string": b"", "client": ("9.9.9.9", 5), "state": {},
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        }  # fmt: skip
        parts = list(body)
        sent: list[Mapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.sleep(60)
            part = parts.pop(0)
            self.taken += 1
            return {"type": "http.request", "body": part, "more_body": bool(parts) or part == b"more"}

        async def send(message: Mapping[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.gate(scope, receive, send))
        start = sent[0]
        return Answer(
            start["status"],
            {name.decode().lower(): value.decode() for name, value in start["headers"]},
            b"".join(message.get("body", b"") for message in sent[1:]),
        )


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def with_key(house: House, *libraries: str) -> str:
    return house.keyfile.add(grants(list(libraries)))[1]


def test_a_request_passes_and_its_answer_carries_the_headers_of_a_careful_page(house: House) -> None:
    answer = house.ask(body=[b"a", b"b"], method="POST")
    assert (answer.status, answer.body) == (200, b"ab")
    assert answer.headers["content-security-policy"] == CSP
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in CSP
    assert house.seen[0]["state"]["caller"] == EVERYTHING


def test_a_request_keeps_its_id_unless_that_could_mean_something_else(house: House) -> None:
    assert house.ask(x_request_id="a-1.b_2").headers["x-request-id"] == "a-1.b_2"
    for given in ("", "a b", "x" * 65, "a\nb", "<b>"):
        made = house.ask(x_request_id=given).headers["x-request-id"]
        assert (made != given, len(made)) == (True, 16)


@pytest.mark.parametrize(
    ("hosts", "host", "status"),
    [
        (("localhost",), "localhost", 200),
        (("localhost",), "LOCALHOST:8000", 200),
        (("localhost",), "localhost.evil.example", 421),
        (("localhost",), "127.0.0.1", 421),
        (("localhost",), "", 421),
        (("[::1]",), "[::1]:8000", 200),
        (("localhost", "<ip>"), "192.168.1.7:8000", 200),
        (("localhost", "<ip>"), "[fe80::1]", 200),
        (("localhost", "<ip>"), "rebound.example", 421),
        (("*",), "anything.example", 200),
        (("localhost",), "localhost:80@evil.example", 421),
        (("localhost",), "localhost:x", 421),
        (("localhost",), "evil.example@localhost", 421),
        (("[::1]",), "[::1]evil.example", 421),
        (("[::1]",), "[::1", 421),
        (("localhost", "<ip>"), "1.2.3.4:80:90", 421),
    ],
)
def test_only_its_own_names_address_it(tmp_path: Path, hosts: tuple[str, ...], host: str, status: int) -> None:
    assert House(tmp_path, hosts=hosts).ask(host=host).status == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8000", 200), ("http://LOCALHOST:8000", 200), ("http://localhost", 403), ("null", 403), ("", 403),
        ("http://localhost:8000@evil.example", 403), ("http://[", 403), ("http://[::1", 403),
    ],
)  # fmt: skip
def test_pages_of_other_places_are_not_answered(house: House, origin: str, status: int) -> None:
    assert house.ask(origin=origin).status == status


@pytest.mark.parametrize(
    ("site", "mode", "dest", "status"),
    [
        ("same-origin", "cors", "empty", 200),
        ("none", "navigate", "document", 200),  # typed, or a bookmark
        ("cross-site", "navigate", "document", 200),  # a link
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "no-cors", "script", 403),  # another port of this machine
        ("cross-site", "navigate", "iframe", 403),
    ],
)
def test_other_pages_ask_nothing_by_their_pictures_and_frames(
    house: House, site: str, mode: str, dest: str, status: int
) -> None:
    answer = house.ask("/", sec_fetch_site=site, sec_fetch_mode=mode, sec_fetch_dest=dest)
    assert (answer.status, len(house.seen)) == (status, int(status == 200))


def test_without_a_key_only_public_paths_answer(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True)
    for path in ("/health", "/ready", "/static/page.css", "/login", "/openapi.json", "/docs"):
        assert house.ask(path).status == 200
    for path in ("/api/v1/libraries", "/v1/models", "/metrics", "/health/x", "/docsx"):
        answer = house.ask(path, method="POST")
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    page = house.ask("/documents")
    assert (page.status, page.headers["location"]) == (303, "/login")


def test_a_key_is_a_bearers_and_nothing_else(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True)
    token = with_key(house, "notes:read")
    assert house.ask(authorization=f"Bearer {token}").status == 200
    assert house.ask(authorization=f"bearer  {token} ").status == 200
    assert house.seen[-1]["state"]["caller"].libraries == {"notes": "read"}
    for wrong in (f"Basic {token}", f"Bearer {token}x", "Bearer", "Bearer é", token):
        assert house.ask(authorization=wrong).status == 401


def test_a_wrong_key_is_not_made_good_by_a_cookie(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True)
    caller = house.keyfile.caller(with_key(house, "notes:read"))
    assert caller is not None
    cookie = house.sessions.begin(caller)
    assert house.ask(cookie=f"{SESSION}={cookie}").status == 200
    assert house.ask(cookie=f"{SESSION}={cookie}", authorization="Bearer dk_x_y").status == 401


def test_a_session_changes_things_only_with_the_pages_token(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True)
    caller = house.keyfile.caller(with_key(house, "notes:write"))
    assert caller is not None
    cookie = house.sessions.begin(caller)
    held = f"{SESSION}={cookie}"
    assert house.ask(method="DELETE", cookie=held).status == 403
    assert house.ask(method="DELETE", cookie=held, x_csrf_token="é").status == 403
    assert house.ask(method="DELETE", cookie=held, x_csrf_token=house.sessions.token(cookie)).status == 200


@pytest.mark.parametrize("path", ["/api/v1/x", "/v1/models", "/", "/ask", "/login", "/mcp"])
def test_a_caller_has_its_rate_on_pages_too(tmp_path: Path, path: str) -> None:
    house = House(tmp_path, rate=2)
    assert [house.ask(path).status for _ in range(3)] == [200, 200, 429]
    assert house.ask(path).headers["retry-after"] == "1"
    assert [house.ask(free).status for free in ("/health", "/ready", "/static/page.css")] == [200, 200, 200]


def test_keys_are_guessed_no_faster_than_used(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True, rate=2)
    token = with_key(house, "notes:read")
    assert [house.ask(authorization=f"Bearer dk_a_{n}").status for n in range(3)] == [401, 401, 429]
    assert house.ask("/login", method="POST").status == 429
    assert house.ask(authorization=f"Bearer {token}").status == 200


def test_who_is_refused_may_send_its_body_to_the_end(tmp_path: Path) -> None:
    """A connection that closes while the client still sends shows it a reset, and never the message."""
    house = House(tmp_path, keys=True)
    assert house.ask(method="POST", body=[b"x"] * 50).status == 401
    assert house.taken == 50
    house = House(tmp_path)
    assert house.ask(method="POST", body=[b"x" * 60] * 50).status == 413
    assert house.taken == 50
    house = House(tmp_path, refuses=404)  # as the framework answers for a route, without reading on
    assert house.ask(method="POST", body=[b"x"] * 50).status == 404
    assert house.taken == 50


def test_keys_that_cannot_be_read_let_nobody_in(tmp_path: Path) -> None:
    house = House(tmp_path, keys=True)
    (tmp_path / "keys.json").write_text("{")
    answer = house.ask(authorization="Bearer dk_a_b")
    assert (answer.status, str(tmp_path).encode() in answer.body) == (500, False)


def test_a_body_at_its_limit_passes_and_one_more_byte_does_not(house: House) -> None:
    assert len(house.ask(method="POST", body=[b"x" * 60, b"x" * 40]).body) == 100
    assert house.ask(method="POST", body=[b"x" * 60, b"x" * 41]).status == 413
    assert house.ask(method="POST", body=[b"x"], content_length="101").status == 413
    assert house.ask(method="POST", body=[b"x"], content_length="9" * 5000).status == 413
    assert house.ask(method="POST", body=[b"x"], content_length="²").status == 200  # counted as it comes
    upload = "/api/v1/libraries/notes/documents"
    assert house.ask(upload, method="POST", body=[b"x" * 101]).status == 200
    assert house.ask(upload, method="POST", body=[b"x"], content_length=str(1001 + (1 << 20))).status == 413


def test_a_body_that_does_not_come_is_not_waited_for(house: House) -> None:
    assert house.ask(method="POST", body=[b"more"]).status == 408


def test_what_fails_before_a_word_was_sent_has_its_own_status(tmp_path: Path) -> None:
    house = House(tmp_path, fails=lambda: RuntimeError("a secret of the machine"))
    answer = house.ask()
    assert (answer.status, b"secret" in answer.body) == (500, False)


def test_a_client_that_goes_away_as_it_sends_is_no_failure_of_the_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert House(tmp_path, fails=ClientDisconnect).ask().status == 499
    assert not caplog.records


def test_what_fails_afterwards_cuts_the_connection(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="late"):
        House(tmp_path, fails=lambda: RuntimeError("late"), fails_late=True).ask()


def test_requests_are_counted_with_their_status(house: House) -> None:
    house.ask()
    house.ask(host="other")
    page = house.metrics.page().decode()
    assert 'decoct_requests_total{method="GET",route="none",status="200"} 1.0' in page
    assert 'decoct_requests_total{method="GET",route="none",status="421"} 1.0' in page
    assert "decoct_requests_running 0.0" in page


def test_what_is_no_request_goes_through(house: House) -> None:
    async def nothing(*_: Any) -> None:
        return

    asyncio.run(house.gate({"type": "lifespan"}, nothing, nothing))  # type: ignore[arg-type]
    assert house.seen == [{"type": "lifespan"}]
