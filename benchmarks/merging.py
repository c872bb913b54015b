"""How fast merging is: hierarchical against sequential on a simulated server, and the parts that need no model.

    python benchmarks/merging.py --data ../shared/data

`merging_local.py` races the fusers on a real model.

The simulated server takes the time a served model would (--prefill and --token seconds a token, words standing for tokens), 8 requests
at once; its replies copy half the sentences, or name them by number. Losses (`prompt_logprobs`) cost the prefill of both texts. All
systems see the same 20 passages and budget (5 times the average passage) in one run; quote the ratios, not the times.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

from setting import RESULTS, command_line, setting, write

from decoct import trace
from decoct.budget import Budget
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import Merge
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.llm.base import LLM
from decoct.llm.openai_compatible import OpenAICompatible
from decoct.text.sentences import sentences
from decoct_lab.context.align import align
from decoct_lab.context.merge.affinity_cache_lm import CacheLM
from decoct_lab.context.merge.affinity_compression import Compression
from decoct_lab.context.merge.affinity_llm import LLMAffinity
from decoct_lab.context.merge.fuse_rewrite import Rewrite
from decoct_lab.context.merge.fuse_select import Select
from decoct_lab.dataset import load

SLOTS = 8
IDS: dict[str, int] = {}  # of the simulated server: its tokens in the order in which it met them
Schedule = Literal["sequential", "hierarchical"]


@contextmanager
def served(prefill: float, token: float) -> Iterator[str]:
    """The address of the simulated server, a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs, prefill, token), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def serve(pipe: Connection, prefill: float, token: float) -> None:
    """Serve until terminated; the port goes into the pipe."""
    slots = threading.Semaphore(SLOTS)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # One packet a reply and no waiting for its acknowledgement, as servers do: else each takes 40 ms more on loopback.
        wbufsize = 1 << 20
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer, seconds = answered(self.path, body, prefill, token)
            sent = json.dumps(answer).encode()
            if seconds:
                with slots:
                    time.sleep(seconds)
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pipe.send(server.server_port)
    server.serve_forever()


def answered(path: str, body: dict[str, Any], prefill: float, token: float) -> tuple[dict[str, Any], float]:
    """What the server says and how long it takes in a slot. A token is a word with the white space before it."""
    if path.endswith("/tokenize"):
        pieces = re.findall(r"\s*\S+|\s+", body["prompt"])
        return {"tokens": [IDS.setdefault(piece, len(IDS)) for piece in pieces]}, 0.0
    if path.endswith("/chat/completions"):
        text = reply(body)
        read = sum(len(message["content"].split()) for message in body["messages"])
        usage = {"prompt_tokens": read, "completion_tokens": len(text.split()), "total_tokens": 0}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        answer = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        return answer, prefill * read + token * len(text.split())
    entries: list[Any] = [None]
    named = list(IDS)
    entries += [{str(t): {"logprob": -1.0, "rank": 1, "decoded_token": named[t]}} for t in body["prompt"][1:]]
    scored = {"index": 0, "text": "x", "finish_reason": "length", "logprobs": None, "prompt_logprobs": entries}
    answer = {"id": "x", "object": "text_completion", "created": 0, "model": "m", "choices": [scored]}
    return answer, prefill * len(body["prompt"])


def reply(body: dict[str, Any]) -> str:
    """Half the sentences of both passages, copied or by number."""
    shown = body["messages"][-1]["content"]
    if "response_format" in body:
        numbers = re.findall(r"^\[(\d+)\]", shown, re.MULTILINE)
        return json.dumps({"keep": [int(number) for number in numbers[::2]]})
    texts = re.findall(r"<(?:passage A|passage B|host|supplement)>\n[^\n]*\n(.*?)\n</", shown, re.DOTALL)
    kept = [text[start:end] for text in texts for start, end in sentences(text)[::2]]
    return " ".join(kept) or "NOTHING RELEVANT"


def questions(data: Path, n: int) -> list[tuple[str, tuple[Passage, ...]]]:
    """Questions with 20 passages: the ten that HotpotQA gives and the ten of the next question."""
    dataset = load("hotpotqa", data, {"setting": "distractor"})
    asked = [q for q in dataset.questions if len(q.candidate_ids) == 10][: 2 * n]
    wanted = {doc_id for q in asked for doc_id in q.candidate_ids}
    documents = {d.id: d for d in dataset.documents() if d.id in wanted}
    found = []
    for one, other in zip(asked[::2], asked[1::2], strict=True):
        passages = []
        for rank, doc_id in enumerate(dict.fromkeys((*one.candidate_ids, *other.candidate_ids))):
            document = documents[doc_id]
            passages.append(
                Passage(document.text, (Span(doc_id, 0, len(document.text)),), "quote", 1 / (1 + rank), document.title)
            )
        found.append((one.question, tuple(passages)))
    return found


def run(step: Merge, asked: list[tuple[str, tuple[Passage, ...]]]) -> dict[str, Any]:
    """Median seconds and the counts of all questions."""
    tokenizer = default_tokenizer()
    seconds, counts, fallbacks = [], {"model_calls": 0, "completion_tokens": 0, "nll_cells": 0, "merges": 0}, 0
    aligned = invented = 0
    for question, passages in asked:
        limit = 5 * sum(tokenizer.counts([p.text for p in passages])) // len(passages)
        with trace.recording() as record, trace.stage("merge"):
            start = time.perf_counter()
            draft = step.apply(Query(question), Draft(passages), Budget(limit, tokenizer))
            seconds.append(time.perf_counter() - start)
        for stage in record.stages:
            for name in counts:
                counts[name] += stage.counts[name]
            aligned += stage.counts["aligned_fragments"]
            invented += stage.counts["invented_fragments"]
        fallbacks += record.fallbacks.total()
        originals = {p.support[0].doc_id: p.text for p in passages}
        for passage in draft.passages:  # verbatim, or this stops
            shown = "\n".join(originals[s.doc_id][s.start : s.end] for s in passage.support)
            assert passage.text.split() == shown.split()
    return {
        "seconds": round(median(seconds), 3), **counts, "fallbacks": fallbacks,
        "fragments_aligned": aligned, "fragments_invented": invented, "verbatim_rate_of_result": 1.0,
    }  # fmt: skip


def race(llm: LLM, asked: list[tuple[str, tuple[Passage, ...]]], exact: bool) -> dict[str, Any]:
    """The systems side by side."""
    tokenizer = default_tokenizer()
    nll: Any = LLMAffinity(llm) if exact else CacheLM()  # type: ignore[arg-type]
    systems: dict[str, Callable[[Schedule], Merge]] = {
        "symmetric rewrite": lambda s: Merge(Rewrite(llm, tokenizer), schedule=s),
        "asymmetric rewrite": lambda s: Merge(
            Rewrite(llm, tokenizer, "asymmetric"), "asymmetric", affinity=nll, schedule=s
        ),
        "asymmetric rewrite by cache-lm": lambda s: Merge(
            Rewrite(llm, tokenizer, "asymmetric"), "asymmetric", schedule=s
        ),
        "asymmetric select": lambda s: Merge(Select(llm), "asymmetric", schedule=s),
    }
    results: dict[str, Any] = {}
    for name, make in systems.items():
        for schedule in get_args(Schedule):
            results[f"{name}, {schedule}"] = found = run(make(schedule), asked)
            print(f"{name + ', ' + schedule:34} {found}", flush=True)
        results[f"{name}: sequential / hierarchical"] = ratio = round(
            results[f"{name}, sequential"]["seconds"] / results[f"{name}, hierarchical"]["seconds"], 2
        )
        print(f"{name}: hierarchical is {ratio} x as fast")
    rewrite, select = (
        results["asymmetric rewrite by cache-lm, hierarchical"],
        results["asymmetric select, hierarchical"],
    )
    a_merge = [found["completion_tokens"] / max(1, found["merges"]) for found in (rewrite, select)]
    results["rewrite / select, seconds"] = round(rewrite["seconds"] / select["seconds"], 2)
    results["rewrite / select, generated tokens a merge"] = round(a_merge[0] / max(1e-9, a_merge[1]), 2)
    print({name: value for name, value in results.items() if name.startswith("rewrite /")})
    return results


def without_a_model(asked: list[tuple[str, tuple[Passage, ...]]]) -> dict[str, float]:
    """Milliseconds of processor time: extraction, a question; aligning what a model wrote of 200 passages; cache-lm on 20 passages."""
    tokenizer = default_tokenizer()
    step, budget = Merge(Extract()), Budget(450, tokenizer)

    def timed(work: Callable[[], object], times: int) -> float:
        found = []
        for _ in range(times):
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
        return round(1000 * median(found), 2)

    question, passages = asked[0]
    sources = [(p.support[0], p.text) for _, ps in asked for p in ps][:200]
    written = " ".join(text[start:end] for _, text in sources for start, end in sentences(text)[:2])
    pairs = [sources[at : at + 2] for at in range(0, len(sources), 2)]
    merges = [" ".join(text[s:e] for _, text in pair for s, e in sentences(text)[:2]) for pair in pairs]
    texts = [p.text for p in passages]
    return {
        "merge-extract, a question": timed(lambda: step.apply(Query(question), Draft(passages), budget), 40),
        f"align {len(pairs)} merges, two sentences of each of {len(sources)} passages": timed(
            lambda: [align(text, pair) for text, pair in zip(merges, pairs, strict=True)], 40
        ),
        "align the same as one text with all passages": timed(lambda: align(written, sources), 40),
        "of these, splitting the texts into sentences": timed(lambda: [sentences(text) for text in merges], 40),
        "compression, 20 x 20": timed(lambda: Compression().affinity(texts, texts), 20),
        "cache-lm, 20 x 20": timed(lambda: CacheLM().affinity(texts, texts), 20),
    }


def main() -> None:
    parser = command_line(__doc__, data=True, questions=10)
    parser.add_argument("--prefill", type=float, default=0.0002)
    parser.add_argument("--token", type=float, default=0.01)
    parser.add_argument("--out", default=RESULTS)
    arguments = parser.parse_args()
    asked = questions(arguments.data, max(10, arguments.questions))
    results: dict[str, Any] = {**setting(), "questions": arguments.questions}
    results["processor_milliseconds"] = without_a_model(asked)
    print(results["processor_milliseconds"])
    with served(arguments.prefill, arguments.token) as address:
        server = OpenAICompatible("m", address, concurrency=SLOTS)
        results |= {"slots": SLOTS, "prefill": arguments.prefill, "token": arguments.token}
        results["race"] = race(server, asked[: arguments.questions], exact=True)
    write(Path(arguments.out) / "merging.json", results, show=False)


if __name__ == "__main__":
    main()
