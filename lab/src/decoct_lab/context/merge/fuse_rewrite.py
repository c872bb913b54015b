"""Merge the paper's way: a language model writes the merged text - then it is verified (MergeRAG, appendix B; lab/docs/methods.md).

Kept from the paper: the duties of both prompts (relevant sentences verbatim, the rest pruned, no answer, no outside knowledge;
asymmetric: the anchor is the host, the supplement gives only what the anchor does not say). The wording is ours. Ours too: every
sentence of the output is aligned with the two passages and exchanged for the source's own characters; what stands in neither is
dropped and counted (`invented_fragments`), so the merged text is a quote whatever the model wrote, also when a passage gives orders.

`place` says where the verified sentences stand. `asymmetric`, `after`: the anchor's in the anchor's order, then the supplement's;
`nearest`: each of the supplement after the anchor's sentence with which it shares most words. `symmetric` keeps the order in which the
model wrote them.

An output of which nothing can be verified is a failure (merged by `fallback`), unless it says that nothing is relevant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from decoct.budget import Tokenizer
from decoct.context.base import Fuser
from decoct.context.merge.fuse_extract import Extract
from decoct.context.quotes import passage_of_ranges
from decoct.data import Passage
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.text.wholes import Place
from decoct_lab.context.merge.outcomes import outcomes
from decoct_lab.context.verbatim import found_in

NOTHING = "NOTHING RELEVANT"
# what both passages hold and a little more, so that a faithful merge is never cut.
_ROOM = 32
_WORD = re.compile(r"\w+")
# Words of three letters and fewer are shared by any two sentences.
_TELLING = 4


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Fuses by the text that `llm` writes, verified. `tokenizer` measures how long it may be."""

    llm: LLM
    tokenizer: Tokenizer
    strategy: Literal["symmetric", "asymmetric"] = "symmetric"
    place: Literal["after", "nearest"] = "after"
    fallback: Fuser = field(default_factory=Extract)

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        """One quote a pair, made of sentences of both; None where the model says that nothing is relevant."""
        prompt = _prompt(f"fuse_rewrite_{self.strategy}")
        requests = []
        for one, other in pairs:
            room = sum(self.tokenizer.counts([one.text, other.text])) + _ROOM
            values = {"question": question, "a": _shown(one), "b": _shown(other)}
            requests.append(prompt.request(values, max_tokens=room))

        def read(number: int, reply: Reply) -> Passage | None:
            return self._verified(reply, pairs[number])

        return outcomes(self.llm, requests, read, question=question, pairs=pairs, fallback=self.fallback)

    def _verified(self, reply: Reply, pair: tuple[Passage, Passage]) -> Passage | None:
        text = reply.text.strip()
        if not text or text.strip(" .\"'*").upper() == NOTHING:
            return None
        found = found_in(text, pair)
        if not found:
            raise ReplyError("no sentence of the merged text stands in the passages", reply.text)
        if self.strategy == "symmetric":
            return passage_of_ranges((pair[owner], [place]) for owner, place in _runs(pair, found))
        anchor, source = pair
        own = sorted({place for owner, place in found if owner == 0})
        added = sorted({place for owner, place in found if owner == 1})
        if self.place == "after" or not own:
            return passage_of_ranges([(anchor, own), (source, added)])
        return passage_of_ranges(_nearest(anchor, own, source, added))


def _runs(pair: tuple[Passage, Passage], found: Sequence[tuple[int, Place]]) -> list[tuple[int, Place]]:
    """The places in their order; one that follows on the one before it, but for white space, is joined to it."""
    runs: list[tuple[int, Place]] = []
    for owner, (start, end) in found:
        if runs and runs[-1][0] == owner:
            low, high = runs[-1][1]
            if high <= start and not pair[owner].text[high:start].strip():
                runs[-1] = (owner, (low, end))
                continue
        runs.append((owner, (start, end)))
    return runs


def _nearest(
    anchor: Passage, own: Sequence[Place], source: Passage, added: Sequence[Place]
) -> list[tuple[Passage, Sequence[Place]]]:
    hosts = [_telling(anchor.text[start:end]) for start, end in own]
    guests: list[list[Place]] = [[] for _ in own]
    for start, end in added:
        words = _telling(source.text[start:end])
        shared = [len(words & host) for host in hosts]
        best = max(range(len(own)), key=lambda at: (shared[at], at))  # no word shared: after the last
        guests[best].append((start, end))
    parts: list[tuple[Passage, Sequence[Place]]] = []
    for place, extra in zip(own, guests, strict=True):
        parts += [(anchor, [place]), (source, extra)]
    return parts


def _telling(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text) if len(word) >= _TELLING}


def _shown(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


@cache
def _prompt(name: str) -> Prompt:
    return load_prompt("decoct_lab.context.merge", name, ("question", "a", "b"))
