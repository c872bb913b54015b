"""Time of context construction and alignment as passages grow: it should be linear, and small beside counting the tokens.

    python benchmarks/context_speed.py [--out FILE]

Texts are synthetic: documents of 20 overlapping chunks of about 150 tokens, hits in random order, a budget of 5,400 tokens of the bundled
tokenizer, and the same with a tokenizer that costs nothing (characters / 4), which leaves our own work. `align` gets sentences of a tenth
of the passages, word for word, then with one word of every fourth sentence left out. Times are medians in ms; compare them within a run.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from setting import command_line, setting, write

from decoct.budget import Budget, Tokenizer
from decoct.context.assemble import assemble
from decoct.context.stitch import Stitch, draft_of
from decoct.data import Chunk, Hit, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.text.sentences import sentences
from decoct_lab.context.align import align

SYLLABLES = [a + b for a in ("b", "k", "l", "m", "t", "s", "r", "d", "gr", "st") for b in ("a", "en", "i", "or", "u")]
WORDS = [first + second + third for third in ("", "n", "rs") for second in SYLLABLES for first in SYLLABLES]
RARITY = [1 / rank for rank in range(1, len(WORDS) + 1)]  # Zipf's law
LIMIT = 5400


class Free:
    fingerprint = "characters/4"

    def count(self, text: str) -> int:
        return len(text) // 4

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 4 for text in texts]


def document(random_: random.Random) -> str:
    made: list[str] = []
    while sum(len(sentence) for sentence in made) < 7000:
        made.append(" ".join(random_.choices(WORDS, RARITY, k=random_.randint(8, 25))).capitalize() + ". ")
    return "".join(made)


def hits(count: int) -> list[Hit]:
    random_ = random.Random(7)
    found = []
    for number in range(count // 20 + 1):
        text = document(random_)
        found += [Chunk(Span(f"d{number}", at, at + 660), text[at : at + 660], "A title") for at in range(0, 6600, 330)]
    random_.shuffle(found)
    return [Hit(chunk, 1 - rank / count) for rank, chunk in enumerate(found[:count])]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    seconds = []
    for _ in range(15):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return round(1000 * statistics.median(seconds), 2), result


def construction(found: list[Hit], tokenizer: Tokenizer) -> dict[str, Any]:
    query, budget = Query("q"), Budget(LIMIT, tokenizer)
    select_ms, draft = timed(lambda: draft_of(found))
    stitch_ms, stitched = timed(lambda: Stitch().apply(query, draft, budget))
    assemble_ms, context = timed(lambda: assemble(query, stitched, budget))
    count_ms, _ = timed(lambda: tokenizer.count(context.text))
    return {
        "select": select_ms,
        "stitch": stitch_ms,
        "assemble": assemble_ms,
        "one_count_of_the_context": count_ms,
        "tokens": context.tokens,
    }


def alignment(found: list[Hit]) -> dict[str, Any]:
    sources = [(hit.chunk.span, hit.chunk.text) for hit in found]
    quoted = [text[a:b] for _, text in sources[::10] for a, b in sentences(text)[1:3]]
    edited = [" ".join(w for i, w in enumerate(s.split()) if i != 4 or n % 4) for n, s in enumerate(quoted)]
    exact_ms, exact = timed(lambda: align(" ".join(quoted), sources))
    near_ms, near = timed(lambda: align(" ".join(edited), sources))
    return {
        "verbatim": exact_ms,
        "quarter_edited": near_ms,
        "sentences": len(quoted),
        "found": len(exact.fragments),
        "found_of_edited": len(near.fragments),
    }


def main() -> None:
    parser = command_line(__doc__, out="")
    chosen = parser.parse_args()
    results = {}
    for count in (50, 100, 200, 400, 800):
        found = hits(count)
        results[str(count)] = {
            "bundled_tokenizer": construction(found, WordPieceTokenizer()),
            "free_tokenizer": construction(found, Free()),
            "align": alignment(found),
        }
    write(chosen.out, {**setting(), "limit": LIMIT, "ms_by_passages": results})


if __name__ == "__main__":
    main()
