"""A language model behind OpenAI's protocol that writes word by word until it is told to end: for tests of streams and of Stop."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SlowModel:
    """Answers with the words of `text`; until `go` is set a stream says "really" before the last. `left`: its reader has left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.go, self.left = threading.Event(), threading.Event()
        self.asked: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Ends the streams and the server."""
        self.go.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(model: SlowModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append(body)
            self.send_response(200)
            if not body.get("stream"):
                said = {"message": {"role": "assistant", "content": model.text}, "finish_reason": "stop", "index": 0}
                self._whole(json.dumps({"id": "1", "object": "chat.completion", "choices": [said]}).encode())
                return
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                *before, last = model.text.split()
                for word in before:
                    self._event({"delta": {"content": f"{word} "}, "index": 0})
                while not model.go.wait(0.05):
                    self._event({"delta": {"content": "really "}, "index": 0})  # fails once the reader has left
                self._event({"delta": {"content": last}, "index": 0})
                self._event({"delta": {}, "finish_reason": "stop", "index": 0})
                self.wfile.write(b"data: [DONE]\n\n")
            except OSError:
                model.left.set()

        def _event(self, choice: dict[str, Any]) -> None:
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": int(time.time()), "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

        def _whole(self, body: bytes) -> None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    return Handler
