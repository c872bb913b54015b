"""The documents of a folder that bear most on a question, by BM25 over words' roots (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from decoct.data import Document
from decoct.text.overlap import idf
from decoct.text.words import content

_K1, _B = 1.2, 0.75


def relevant(question: str, documents: Sequence[Document], most: int) -> list[Document]:
    """At most `most` documents that share a word with the question, in the order given; the best where there are more."""
    wanted = {word for word, _ in content(question)}
    counts = [Counter(word for word, _ in content(f"{document.title}\n{document.text}")) for document in documents]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    df = {word: sum(word in count for count in counts) for word in wanted}
    scores = [
        sum(_gain(count[word], df[word], len(documents), length / (mean or 1.0)) for word in wanted if count[word])
        for count, length in zip(counts, lengths, strict=True)
    ]
    best = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])[:most]
    return [documents[i] for i in sorted(best)]


def _gain(tf: int, df: int, size: int, length: float) -> float:
    return idf(df, size) * tf * (_K1 + 1) / (tf + _K1 * (1 - _B + _B * length))
