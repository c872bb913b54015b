"""What is remembered of callers, in memory: sessions of the web page (a random cookie for a key), and how many requests each made."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict

from decoct.server.keys import Caller, Keys, digest_of

_MOST_CALLERS = 10_000  # callers that are remembered
LASTS = 12 * 3600  # seconds
_MOST = 10_000


class Sessions:
    """Who is logged in. A revoked key ends its sessions. Replicas share theirs (`decoct_postgresql.shared`)."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._secret = secrets.token_bytes(32)
        self._open: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def begin(self, caller: Caller) -> str:
        """A new session's cookie."""
        cookie = secrets.token_urlsafe(32)
        self._open[digest_of(cookie)] = (caller.key_id, time.monotonic() + LASTS)
        while len(self._open) > _MOST:
            self._open.popitem(last=False)
        return cookie

    def caller(self, cookie: str) -> Caller | None:
        """Who has this cookie; None when it ended."""
        key_id, until = self._open.get(digest_of(cookie), ("", 0.0))
        return self._keys.by_id(key_id) if until > time.monotonic() else None

    def end(self, cookie: str) -> None:
        """Log out."""
        self._open.pop(digest_of(cookie), None)

    def token(self, cookie: str) -> str:
        """What a form of this session must send along ("" is the session of a server without keys)."""
        return form_token(self._secret, cookie)


def form_token(secret: bytes, cookie: str) -> str:
    """The token of the forms of a session, by the server's secret."""
    return hmac.new(secret, cookie.encode(), "sha256").hexdigest()


class RequestRates:
    """How much each caller may ask: `per_second` requests. These buckets are one server's, in memory."""

    def __init__(self, per_second: float) -> None:
        self.per_second = per_second
        self._left: dict[str, tuple[float, float]] = {}

    def let_in(self, who: str) -> bool:
        """Whether one more request of `who` may pass now."""
        most, now = max(1.0, self.per_second), time.monotonic()
        left, then = self._left.get(who, (most, now))
        left = min(most, left + (now - then) * self.per_second)
        if left < 1:
            return False
        if len(self._left) > _MOST_CALLERS:
            self._left.clear()
        self._left[who] = (left - 1, now)
        return True
