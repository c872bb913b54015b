"""How many requests a second a caller may make: a bucket of a second's, one at least, filled as time goes by."""

from __future__ import annotations

import time

_MOST = 10_000  # callers that are remembered


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
        if len(self._left) > _MOST:
            self._left.clear()
        self._left[who] = (left - 1, now)
        return True
