"""Every error Decoct raises on purpose, split by whose move is next: a class below `DecoctError` each, told apart by its `code`."""

from __future__ import annotations

import errno
from typing import ClassVar


class DecoctError(Exception):
    """Base of all of them: `code` is stable and machine-readable, `retryable` says whether the same call may succeed later."""

    code: ClassVar[str] = "decoct"
    retryable: ClassVar[bool] = False


class ConfigError(DecoctError):
    """A setting, recipe or argument is wrong; the message names it and the nearest valid one."""

    code = "config"


class MissingExtraError(ConfigError):
    """A feature needs packages of an extra that is not installed."""

    code = "missing-extra"

    def __init__(self, feature: str, extra: str, distribution: str = "decoct") -> None:
        super().__init__(f"{feature} needs the extra '{extra}': pip install '{distribution}[{extra}]'")
        self.feature = feature
        self.extra = extra
        self.distribution = distribution


class MissingDistributionError(ConfigError):
    """What is named comes with another distribution, which is not installed; `folder` is where a checkout has it."""

    code = "missing-distribution"

    def __init__(self, feature: str, distribution: str, folder: str) -> None:
        super().__init__(
            f"{feature} comes with {distribution}, which is not installed: pip install {distribution} "
            f"(from a checkout: pip install ./{folder})"
        )
        self.feature = feature
        self.distribution = distribution


class MissingAbilityError(ConfigError):
    """A part of a recipe needs a store that can do more than the library's; the message says what to take instead."""

    code = "missing-ability"


class PromptError(ConfigError):
    """A prompt file lacks a slot or is given one it does not have."""

    code = "prompt"


class CorpusError(DecoctError):
    """The documents given cannot be used, or the library that is asked has none."""

    code = "corpus"


class UnknownDocumentError(CorpusError):
    """A document is named that the library does not have."""

    code = "document"


class ParseError(CorpusError):
    """One source could not be read; nothing of it was stored."""

    code = "parse"


class UnreadableError(ParseError):
    """The system would not give one source: no permission, a fault of the disk, or it went away."""

    code = "unreadable"


class StoreError(DecoctError):
    """The library's storage failed or refused."""

    code = "store"


class UnknownLibraryError(StoreError):
    """A library is named that is not there, and none was to be made."""

    code = "library"


class DiskFullError(StoreError):
    """A disk has no room; what was committed is kept."""

    code = "disk-full"
    retryable = True


class DamagedStoreError(StoreError):
    """What the library stored cannot be read back as it was; `decoct doctor` names what is damaged."""

    code = "store-damaged"


class StaleIndexError(StoreError):
    """The library was built with other settings than it is opened with, or is not the one any more that was opened."""

    code = "stale-index"


class MissingStructureError(StaleIndexError):
    """A recipe retrieves by a structure that the library does not have; the message says what builds it."""

    code = "missing-structure"


class StoreBusyError(StoreError):
    """Another process, or another handle of this one, is writing to this library."""

    code = "store-busy"
    retryable = True


class StoreUnavailableError(StoreError):
    """The store's server cannot be reached."""

    code = "store-unavailable"
    retryable = True


class ModelError(DecoctError):
    """A model could not do what it was asked."""

    code = "model"


class RateLimitError(ModelError):
    """The model's service asks to slow down; `retry_after` is in seconds when it said so."""

    code = "rate-limit"
    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelTimeoutError(ModelError):
    """The model did not answer in time."""

    code = "model-timeout"
    retryable = True


class ModelUnavailableError(ModelError):
    """The model's service cannot be reached or failed on its side."""

    code = "model-unavailable"
    retryable = True


class PromptTooLongError(ModelError):
    """The request does not fit the model's window."""

    code = "prompt-too-long"


class ReplyError(ModelError):
    """The model answered, but not in the form that was asked for; `reply` is the raw text, `cut` whether max_tokens ended it.

    `prompt_tokens` and `completion_tokens` are what a cut reply took; 0 where that is not known.
    """

    code = "reply"

    def __init__(
        self, message: str, reply: str = "", *, cut: bool = False, prompt_tokens: int = 0, completion_tokens: int = 0
    ) -> None:
        super().__init__(message)
        self.reply = reply
        self.cut = cut
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


class ClusterError(DecoctError):
    """A cluster of machines cannot be reached or failed; what was stored is kept."""

    code = "cluster"
    retryable = True


class WorkerSetupError(ClusterError):
    """A worker lacks the library's files, a package, a model or this version of Decoct; the message says what to put there."""

    code = "worker-setup"
    retryable = False


class BudgetError(DecoctError):
    """The token limit is smaller than the smallest useful context, or a context is over its limit."""

    code = "budget"


class ProvenanceError(DecoctError):
    """A quoted text is not equal to the document at its span."""

    code = "provenance"


class QueryError(DecoctError):
    """The question is empty or its filter cannot be read."""

    code = "query"


class EvaluationError(DecoctError):
    """An evaluation's data or set-up is wrong; the message names the file and line."""

    code = "evaluation"


_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")  # the second where a reader's own small file cannot grow


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, says that there is no room on the disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        if getattr(error, "sqlite_errorname", "") in _NO_ROOM:
            return True
        error = error.__cause__
    return False


def not_stored(error: BaseException, message: str) -> StoreError:
    """The error with `message` for what could not be written: `DiskFullError` where `error` says so."""
    return (DiskFullError if is_disk_full(error) else StoreError)(message)
