"""How often a caller may ask, and who is logged in: buckets and sessions on a clock that the test moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct.server import sessions
from decoct.server.keys import Caller, Keys, grants
from decoct.server.sessions import LASTS, RequestRates, Sessions, form_token


class Clock:
    """`time`, as far as it is used here."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(sessions, "time", made)
    return made


def test_a_second_has_so_many_requests_and_they_come_back_with_time(clock: Clock) -> None:
    buckets = RequestRates(3)
    assert [buckets.let_in("a") for _ in range(4)] == [True, True, True, False]
    clock.now += 1 / 3  # one more
    assert [buckets.let_in("a") for _ in range(2)] == [True, False]
    clock.now += 3600  # an idle hour saves up no more than a second's
    assert [buckets.let_in("a") for _ in range(4)] == [True, True, True, False]


def test_callers_do_not_share(clock: Clock) -> None:
    buckets = RequestRates(1)
    assert [buckets.let_in(who) for who in "abab"] == [True, True, False, False]


def test_what_is_refused_costs_nothing(clock: Clock) -> None:
    buckets = RequestRates(2)
    assert [buckets.let_in("a") for _ in range(50)].count(True) == 2
    clock.now += 0.5
    assert buckets.let_in("a")


def test_less_than_one_a_second_is_one_every_so_often(clock: Clock) -> None:
    buckets = RequestRates(0.5)
    assert [buckets.let_in("a") for _ in range(2)] == [True, False]
    clock.now += 1.9
    assert not buckets.let_in("a")
    clock.now += 0.1
    assert buckets.let_in("a")


def test_callers_without_end_are_not_remembered_without_end(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST_CALLERS", 3)
    buckets = RequestRates(1)
    for n in range(100):
        assert buckets.let_in(f"caller {n}")
        assert len(buckets._left) <= 4


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


def known(keys: Keys) -> Caller:
    caller = keys.caller(keys.add(grants(["notes:write"]))[1])
    assert caller is not None
    return caller


def test_a_cookie_is_its_caller_until_it_logs_out(clock: Clock, keys: Keys) -> None:
    open_, caller = Sessions(keys), known(keys)
    cookie = open_.begin(caller)
    assert open_.caller(cookie) == caller
    assert open_.caller(cookie + "x") is None
    assert open_.caller("") is None
    open_.end(cookie)
    assert open_.caller(cookie) is None
    open_.end(cookie)  # once more is nothing


def test_a_session_ends_after_half_a_day(clock: Clock, keys: Keys) -> None:
    open_, caller = Sessions(keys), known(keys)
    cookie = open_.begin(caller)
    clock.now += LASTS - 1
    assert open_.caller(cookie) == caller
    clock.now += 1
    assert open_.caller(cookie) is None


def test_a_revoked_key_ends_its_sessions(clock: Clock, keys: Keys) -> None:
    open_, caller = Sessions(keys), known(keys)
    cookie = open_.begin(caller)
    keys.revoke(caller.key_id)
    assert open_.caller(cookie) is None


def test_cookies_are_not_kept_as_they_are(clock: Clock, keys: Keys) -> None:
    open_ = Sessions(keys)
    cookies = {open_.begin(known(keys)) for _ in range(5)}
    assert len(cookies) == 5
    assert not any(cookie in str(vars(open_)) for cookie in cookies)


def test_the_oldest_session_makes_room(clock: Clock, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST", 2)
    open_, caller = Sessions(keys), known(keys)
    cookies = [open_.begin(caller) for _ in range(3)]
    assert [open_.caller(cookie) == caller for cookie in cookies] == [False, True, True]


def test_a_forms_token_is_of_its_session_and_server(keys: Keys) -> None:
    one, other = Sessions(keys), Sessions(keys)
    assert one.token("a") == one.token("a")
    assert len({one.token("a"), one.token("b"), one.token(""), other.token("a")}) == 4
    # HMAC-SHA-256 of "what do ya want for nothing?" under "Jefe": RFC 4231, test case 2.
    assert form_token(b"Jefe", "what do ya want for nothing?") == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
