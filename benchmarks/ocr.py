"""Character error of text recognition, on pages that are rendered here: clean, skewed and noisy, in two fonts and three languages.

    python benchmarks/ocr.py [--out FILE]

The words of each page are drawn from a list of the language, with numbers and codes among them, so that no language model helps a reader
more than the letters do. Both engines see the same pictures; what each condition is stands in the result. The error is the
edit distance of the read and the written text, spaces as one, over the written text's length.
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from setting import command_line, setting, tell, write

from decoct.documents.paged import ocr

_SERIF, _SANS = "DejaVuSerif.ttf", "DejaVuSans.ttf"
_CONDITIONS: dict[
    str, tuple[float, float, int]
] = {  # degrees of skew, standard deviation of noise (of 255), dots an inch
    "clean": (0.0, 0.0, 200),
    "noise": (0.0, 40.0, 200),
    "skew": (1.5, 0.0, 200),
    "skew, noise, 150 dots": (1.5, 25.0, 150),
}
_WORDS = {
    "en": "the pump must not run dry before seals are changed by two people who read pressure gauges each morning and note values".split(),
    "de": "die Prüfung über größere Räume führt täglich zwei Öfen ohne Störung weiß grün schließen öffnen Überdruck und für Maß".split(),
    "ru": "насос нельзя пускать без воды пока давление ниже нормы проверка клапана каждый день щит объём съёмка экран юг".split(),
}
_LINES = 18


def page(language: str, font: str, condition: str, seed: int) -> tuple[str, NDArray[np.uint8]]:
    """The written text, and its picture (height x width x 3)."""
    skew, noise, dots = _CONDITIONS[condition]
    chosen = random.Random(seed)
    lines = []
    for _ in range(_LINES):
        words = [chosen.choice(_WORDS[language]) for _ in range(8)]
        words[chosen.randrange(8)] = f"{chosen.choice('KTRX')}{chosen.choice('KTRX')}-{chosen.randrange(10_000):04}"
        words[chosen.randrange(8)] = f"{chosen.randrange(1000)}.{chosen.randrange(100):02}"
        lines.append(" ".join(words))
    picture = Image.new("L", (int(8.27 * dots), int(6 * dots)), 255)
    drawn, type_ = ImageDraw.Draw(picture), ImageFont.truetype(font, int(10.5 * dots / 72))
    for at, line in enumerate(lines):
        drawn.text((0.7 * dots, (0.6 + at * 0.27) * dots), line, fill=0, font=type_)
    turned = np.asarray(picture.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255), dtype=float)
    marred = np.clip(turned + np.random.default_rng(seed).normal(0, noise, turned.shape), 0, 255).astype(np.uint8)
    return "\n".join(lines), np.repeat(marred[:, :, None], 3, axis=2)


def distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed."""
    row = np.arange(len(other) + 1)
    letters = np.array([ord(letter) for letter in other])
    for at, letter in enumerate(one, 1):
        changed = np.minimum(row[:-1] + (letters != ord(letter)), row[1:] + 1)
        new = np.concatenate([[at], changed])
        row = np.minimum.accumulate(new - np.arange(len(new))) + np.arange(len(new))
    return int(row[-1])


def main() -> None:
    """Read every page by every engine that is here, and write the table."""
    parser = command_line(__doc__, out="documents/ocr.json")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for engine in ("rapidocr", "tesseract"):
        ocr._has_extra = lambda engine=engine: engine == "rapidocr"  # type: ignore[misc]
        for language in _WORDS:
            if language not in (ocr._languages() if engine == "rapidocr" else ocr.tesseract_languages()):
                continue
            for condition in _CONDITIONS:
                wrong = written = 0
                confidence, began = [], sum(os.times()[:4])
                for font in (_SERIF, _SANS):
                    for seed in range(given.seeds):
                        text, image = page(language, font, condition, seed)
                        read = ocr.recognised_page(image, _CONDITIONS[condition][2] / 72, language)
                        said = " ".join(" ".join(line.text for line in read.lines).split())
                        wrong += distance(" ".join(text.split()), said)
                        written += len(" ".join(text.split()))
                        confidence += [sure for _, sure in read.regions]
                rows.append({
                    "engine": engine, "language": language, "condition": condition, "pages": 2 * given.seeds, "characters": written,
                    "wrong": wrong, "character error": round(wrong / written, 4), "confidence": round(float(np.mean(confidence)), 3),
                    "computing seconds a page": round((sum(os.times()[:4]) - began) / 2 / given.seeds, 1),
                })  # fmt: skip
                tell(str(rows[-1]))
    for row in rows:
        print(row)
    conditions = {
        name: dict(zip(("skew", "noise", "dots"), values, strict=True)) for name, values in _CONDITIONS.items()
    }
    write(given.out, {**setting(), "conditions": conditions, "fonts": [_SERIF, _SANS], "rows": rows})


if __name__ == "__main__":
    main()
