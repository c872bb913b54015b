"""Runs the application: says its address first, stops in order."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI


def serve(app: FastAPI, sock: socket.socket, stop: float, say: Callable[[str], None]) -> None:
    """Serve until told to stop (SIGTERM, Ctrl-C), then let what runs end for at most `stop` seconds."""
    host, port = sock.getsockname()[:2]
    say(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(stop),
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=2_000,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[sock])
