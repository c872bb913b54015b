"""Tokenizers that count for budgets and say where tokens lie.

Three kinds, one way in (`open_tokenizer`):

- `WordPieceTokenizer`: the bundled one of the MiniLM embedder; the default where no language model is configured.
- `FileTokenizer`: any `tokenizer.json`, as the reader's model ships it.
- `TiktokenTokenizer`: an OpenAI encoding such as `cl100k_base` (needs the package tiktoken, and its file in tiktoken's cache when offline).

None of them adds special tokens, truncates or pads.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from decoct.embed.base import well_formed
from decoct.embed.minilm.weights import TOKENIZER, TOKENIZER_SHA256
from decoct.embed.onnx import read_tokenizer
from decoct.errors import ConfigError, MissingExtraError
from decoct.registry import nearest

# Tokens by words: WordPiece reads a text word by word, so its count is the sum of its words', and words seen before are not read again.
#
# A context is counted many times over, in parts and as a whole, and its words are few: summing remembered counts takes a tenth of the time.
# Its longer lines are remembered too, since a passage is counted when it is chosen, and once more in the text that it becomes a part of.
#
# Texts are cut at blanks and line breaks alone. These part words for every rule of the tokenizer; what else is white space to Python may be
# a character that the tokenizer deletes, and then two parts would be one word.
MOST = 1 << 16  # words remembered: some eight megabytes
LONGEST = 40  # characters of a word worth remembering; longer runs seldom come again
LINE, LONGEST_LINE = 100, 20_000  # characters of a line worth remembering
MOST_IN_LINES = 1 << 21  # characters of the lines remembered together


class WordCounts:
    """How many tokens words have, by `read`, which counts a list of texts. Thread-safe: what another thread forgets is read again."""

    def __init__(self, read: Callable[[Sequence[str]], list[int]]) -> None:
        self._read = read
        self._known: dict[str, int] = {"": 0}
        self._lines: dict[str, int] = {}
        self._in_lines = 0

    def of(self, text: str) -> int:
        """Tokens in `text`."""
        if len(text) < LINE:
            return self._of_words(text.replace("\n", " ").split(" "))
        tokens, short = 0, []
        for line in text.split("\n"):
            if not LINE <= len(line) <= LONGEST_LINE:
                short.append(line)
                continue
            known = self._lines.get(line)
            tokens += self._of_line(line) if known is None else known
        return tokens + self._of_words(" ".join(short).split(" "))

    def _of_line(self, line: str) -> int:
        tokens = self._of_words(line.split(" "))
        if self._in_lines > MOST_IN_LINES:
            self._lines, self._in_lines = {}, 0
        self._lines[line] = tokens
        self._in_lines += len(line)
        return tokens

    def _of_words(self, words: Sequence[str]) -> int:
        known = self._known
        try:
            return sum([known[word] for word in words])
        except KeyError:
            pass
        found = [*map(known.get, words)]
        new = [*dict.fromkeys(word for word, count in zip(words, found, strict=True) if count is None)]
        counted = dict(zip(new, self._read(new), strict=True))
        if len(self._known) + len(counted) > MOST:
            self._known = {"": 0}
        self._known.update((word, count) for word, count in counted.items() if len(word) <= LONGEST)
        return sum(counted[word] if count is None else count for word, count in zip(words, found, strict=True))


# BERT's WordPiece reads any longer word as one [UNK]. As a count that is a lie of any size (a megabyte of base64 or of Thai would be
# "one token"), so longer words are cut into runs of this length before WordPiece sees them; shorter ones are read exactly as in BERT.
LONGEST_WORD = 100

# Characters whose tokens are asked for at once: the tokenizer takes some hundred bytes a character for what it also tells.
PART = 1_000_000

# Up to so many words are read one after another: waking the tokenizer's threads costs as much processor time as reading forty.
FEW = 40


@dataclass(frozen=True, slots=True)
class WordPieceTokenizer:
    """The bundled WordPiece (uncased BERT vocabulary), which is also what the default embedder reads."""

    @property
    def fingerprint(self) -> str:
        """Vocabulary and the rule for long words."""
        return f"minilm-wordpiece:{TOKENIZER_SHA256[:8]}:{LONGEST_WORD}"

    def count(self, text: str) -> int:
        """Tokens in `text`, the sum of its words' (see `word_counts`); the last few texts are remembered, as in `FileTokenizer`."""
        return _count_of_words(text)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text."""
        return [_words().of(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the tokens; those that share one character (a Hangul syllable) have the same range."""
        found: list[tuple[int, int]] = []
        for at, part in _parts(text):
            found += [(at + start, at + end) for start, end in _offsets(_wordpiece(), part)]
        return found


@dataclass(frozen=True, slots=True)
class FileTokenizer:
    """The tokenizer of a `tokenizer.json` file. `ConfigError` when first used if there is none or it cannot be read."""

    path: Path

    @property
    def fingerprint(self) -> str:
        """The file's digest: the same file elsewhere counts the same."""
        return _from_file(self.path)[1]

    def count(self, text: str) -> int:
        """Tokens in `text`; the last few texts are remembered, as a context is counted where it is fitted and where it is made."""
        return _count(self.path, text)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text."""
        return _counts(_from_file(self.path)[0], texts)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the tokens, as the file's own rules give them."""
        return _offsets(_from_file(self.path)[0], text)


@dataclass(frozen=True, slots=True)
class TiktokenTokenizer:
    """An encoding of tiktoken by name. Special tokens in a text are counted as the plain text they are."""

    name: str = "cl100k_base"

    @property
    def fingerprint(self) -> str:
        """The encoding's name (tiktoken pins its file by digest)."""
        return f"tiktoken:{self.name}"

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        return len(_tiktoken(self.name).encode_ordinary(well_formed(text)))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text."""
        return [len(ids) for ids in _tiktoken(self.name).encode_ordinary_batch([*map(well_formed, texts)])]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character ranges; white space belongs to the token that begins with it, and parts of one character share its start."""
        encoding = _tiktoken(self.name)
        _, starts = encoding.decode_with_offsets(encoding.encode_ordinary(well_formed(text)))
        return _ranges(starts, len(text))


def default_tokenizer() -> WordPieceTokenizer:
    """What counts where no language model says how its tokens are cut."""
    return WordPieceTokenizer()


def open_tokenizer(spec: str = "minilm") -> WordPieceTokenizer | FileTokenizer | TiktokenTokenizer:
    """The tokenizer that `spec` names: `minilm`, a path to a `tokenizer.json` (or its folder), or an encoding of tiktoken.

    Raises `ConfigError` for an unknown name, `MissingExtraError` when tiktoken is not installed.
    """
    if spec == "minilm":
        return WordPieceTokenizer()
    path = Path(spec).expanduser()
    if path.is_dir():
        path /= "tokenizer.json"
    if path.suffix == ".json":
        _from_file(path)
        return FileTokenizer(path)
    _tiktoken(spec)
    return TiktokenTokenizer(spec)


def _counts(tokenizer: Any, texts: Sequence[str]) -> list[int]:  # noqa: ANN401 - tokenizers has no types
    return [len(found) for found in tokenizer.encode_batch_fast([*map(well_formed, texts)], add_special_tokens=False)]


@lru_cache(maxsize=64)  # the passages of a question, which an evaluation counts for each system and budget
def _count(path: Path, text: str) -> int:
    return _counts(_from_file(path)[0], [text])[0]


@lru_cache(maxsize=8)
def _count_of_words(text: str) -> int:
    return _words().of(text)


@cache
def _words() -> WordCounts:
    return WordCounts(_counts_of_words)


def _counts_of_words(words: Sequence[str]) -> list[int]:
    if len(words) > FEW:
        return _counts(_wordpiece(), words)
    return [_count_of_word(_wordpiece(), word) for word in words]


def _count_of_word(tokenizer: Any, word: str) -> int:  # noqa: ANN401
    # A word of plain letters that the vocabulary holds as a whole is one token: a look-up costs a twentieth of reading it.
    if word.isascii() and word.isalpha() and tokenizer.token_to_id(word.lower()) is not None:
        return 1
    return len(tokenizer.encode(well_formed(word), add_special_tokens=False))


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Where each part of a long text begins, and the part: cut before a space, where WordPiece cuts anyway."""
    at = 0
    while at < len(text):
        end = text.find(" ", at + PART)
        end = len(text) if end < 0 else end
        yield at, text[at:end]
        at = end


def _offsets(tokenizer: Any, text: str) -> list[tuple[int, int]]:  # noqa: ANN401
    return list(tokenizer.encode(well_formed(text), add_special_tokens=False).offsets)


def _ranges(starts: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Ranges from each start to the next start that is larger."""
    ranges: list[tuple[int, int]] = []
    end = following = length
    for start in reversed(starts):
        if start < following:
            end, following = following, start
        ranges.append((start, end))
    return ranges[::-1]


@cache
def _wordpiece() -> Any:  # noqa: ANN401
    from tokenizers import pre_tokenizers

    tokenizer = read_tokenizer(TOKENIZER)
    cut = pre_tokenizers.FixedLength(LONGEST_WORD)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([tokenizer.pre_tokenizer, cut])
    return tokenizer


@cache
def _from_file(path: Path) -> tuple[Any, str]:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(
            f"no tokenizer at {str(path)!r} ({error.strerror}); give the path of a tokenizer.json"
        ) from error
    return read_tokenizer(path), f"tokenizer:{digest[:8]}"


@cache
def _tiktoken(name: str) -> Any:  # noqa: ANN401
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ModuleNotFoundError as error:
        if error.name != "tiktoken":
            raise
        known = "'minilm' and paths of a tokenizer.json work without it"
        raise MissingExtraError(f"the tokenizer {name!r} ({known})", "openai") from error
    names: list[str] = tiktoken.list_encoding_names()
    if name not in names:
        raise ConfigError(
            f"there is no tokenizer {name!r}; {nearest(name, ['minilm', *names])}, or a path of a tokenizer.json"
        )
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:  # its downloader (requests) raises many kinds; all mean that the file could not be had
        raise ConfigError(
            f"the file of tokenizer {name!r} could not be fetched ({type(error).__name__}); put it where TIKTOKEN_CACHE_DIR points"
        ) from error
