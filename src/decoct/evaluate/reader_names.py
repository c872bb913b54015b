"""Who reads the contexts of an evaluation, by name.

Nothing is loaded here, so commands and the server can say what they take before a reader is needed.
"""

from typing import Final, Literal

EvaluationReader = Literal["model", "short-answers", "extractive", "none"]
"""The language model, the small bundled reader, whole sentences, or nobody: contexts are then measured alone."""
SHORT_ANSWERS: Final = "short-answers"
LIKELIEST_WORDS: Final = "likeliest-words"
"""The small bundled reader that answers always: what it is not sure of too, as the readers of papers do (`decoct reproduce`)."""
EXTRACTIVE: Final = "extractive"
NO_READER: Final = "none"
WITHOUT_MODEL = (SHORT_ANSWERS, EXTRACTIVE)
"""Those that read without a language model."""


def named_without_model(name: str | None) -> str:
    """`name` where no language model reads (one of `WITHOUT_MODEL`, or "none"), else "": what `Setup.reader` is."""
    return name if name is not None and name in (*WITHOUT_MODEL, NO_READER) else ""
