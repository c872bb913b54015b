"""Examples as numbers: tokens of question, title and text, and each head's labels, what is not known masked out (`batching`: tensors)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct_lab.train.reader.example import ReaderExample

QUESTION_TOKENS = 64
TITLE_CHARACTERS = 120
UNKNOWN = -100


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one example; `kinds` 0 for the question and 1 behind it; label arrays as long as the ids.

    `starts` and `ends` mark the tokens of right spans; `sentence` numbers each token's sentence (-1: none) and `evidence` gives each
    sentence's label. `passage` holds answers, relevance (NaN: unknown), `verdict` a class or `UNKNOWN`.
    """

    ids: list[int]
    kinds: list[int]
    starts: list[int]
    ends: list[int]
    sentence: list[int]
    evidence: list[float]
    passage: tuple[float, float]
    verdict: int


class Encoder:
    """Turns examples into `Encoded` with the tokenizer of `folder`, at most `longest` tokens each."""

    def __init__(self, folder: Path, longest: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._longest = longest
        self._first, self._between = (_special(self._tokenizer, name) for name in ("[CLS]", "[SEP]"))

    def words(self, ids: Sequence[int]) -> str:
        """The text of some of an example's tokens."""
        return str(self._tokenizer.decode(list(ids)))

    def encode(self, example: ReaderExample) -> Encoded:
        """The example; a text over the limit is cut to a window that holds the first right span, or its beginning."""
        question = self._tokenizer.encode(example.question, add_special_tokens=False).ids[:QUESTION_TOKENS]
        title = self._tokenizer.encode(example.title[:TITLE_CHARACTERS], add_special_tokens=False).ids
        body = self._tokenizer.encode(example.text, add_special_tokens=False)
        room = self._longest - len(question) - len(title) - 4
        offsets = body.offsets
        low = 0
        if len(offsets) > room and example.spans:
            at = next((row for row, (_, end) in enumerate(offsets) if end > example.spans[0][0]), 0)
            low = max(0, min(at - room // 2, len(offsets) - room))
        whole, ids, offsets = offsets, body.ids[low : low + room], offsets[low : low + room]
        head = [self._first, *question, self._between]
        front = [*head, *title, self._between] if title else head
        kinds = [0] * len(head) + [1] * (len(front) - len(head) + len(ids) + 1)
        before, behind = len(front), 1
        whole_starts, whole_ends = [0] * len(ids), [0] * len(ids)
        for start, end in example.spans:
            inside = [row for row, (a, b) in enumerate(whole) if a < end and b > start]
            if not inside or whole[inside[0]][0] < start - 1 or whole[inside[-1]][1] > end + 1:
                continue
            if low <= inside[0] and inside[-1] < low + len(ids):  # a span that the window cuts apart has no right end
                whole_starts[inside[0] - low] = whole_ends[inside[-1] - low] = 1
        numbers = [-1] * len(ids)
        labels: list[float] = []
        for start, end, label in example.sentences:
            inside = [row for row, (a, b) in enumerate(offsets) if a >= start and b <= end]
            if inside:
                for row in inside:
                    numbers[row] = len(labels)
                labels.append(float(label))
        cut_off = bool(example.answers and example.spans and not any(whole_starts))
        return Encoded(
            [*front, *ids, self._between], kinds,
            [0] * before + whole_starts + [0] * behind, [0] * before + whole_ends + [0] * behind,
            [-1] * before + numbers + [-1] * behind, labels,
            (float("nan") if cut_off else _known(example.answers), _known(example.relevance)),
            UNKNOWN if example.verdict is None else example.verdict,
        )  # fmt: skip


def _special(tokenizer: Any, name: str) -> int:  # noqa: ANN401 - as above
    number: int | None = tokenizer.token_to_id(name)
    if number is None:
        raise ConfigError(f"the base's tokenizer has no {name}: give an encoder of BERT's kind as --base")
    return number


def _known(label: bool | None) -> float:
    return float("nan") if label is None else float(label)
