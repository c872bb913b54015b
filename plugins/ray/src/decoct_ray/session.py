"""Ray: found or started, and what it raises told in our own errors."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from decoct.errors import ClusterError, MissingDistributionError

LOCAL = "local"


@contextmanager
def cluster(address: str) -> Iterator[Any]:
    """Ray at `address`: "local" is started here and ended at the end, "auto" is one found on this machine, else HOST:PORT.

    Where this process is connected already, that connection is used and left. `ClusterError` where there is no cluster or it is lost.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DATA_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # it warns of a change of theirs otherwise
    try:
        import ray
        import ray.data
        from ray.exceptions import RayError
    except ImportError as error:
        raise MissingDistributionError("ray", "decoct-ray", "plugins/ray") from error
    if mine := not ray.is_initialized():
        _connect(ray, address)
    context = ray.data.DataContext.get_current()
    before = context.enable_progress_bars
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        yield ray
    except RayError as error:
        raise typed_error(error) from error
    finally:
        context.enable_progress_bars = before
        if mine:
            ray.shutdown()


def _connect(ray: Any, address: str) -> None:  # noqa: ANN401 - Ray is an optional package
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        settings |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        ray.init(address=address, **settings)
    except Exception as error:  # Ray raises plain ones too, as where a node is too slow to start
        raise ClusterError(
            f"there is no Ray cluster at {address!r} ({_lines(error)[0]}): start one with `ray start --head` and name "
            "it as HOST:PORT, or use `--ray local`"
        ) from error


def typed_error(error: BaseException) -> ClusterError:
    """An error of Ray as ours."""
    return ClusterError(
        f"the Ray cluster failed: {_lines(error)[-1]}; what was stored is kept, so run it again to go on"
    )


def _lines(error: BaseException) -> list[str]:
    """What an error says, line by line; its name where it says nothing."""
    return [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
