"""Text recognition by Tesseract, the other engine: a program of the system (Debian's package `tesseract-ocr`), with a model a language.

It reads languages that the extra `ocr` has no model for, and stands in where the extra is not installed. A row of a page is cut into
regions where the gap between two words is wider than the row is high: cells of a table stay apart, as the other engine finds them.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from decoct.errors import ParseError

# ISO 639-1 codes and Tesseract's own, which are those of ISO 639-2 but for a few.
_CODES = dict(
    pair.split("=")
    for pair in (
        "af=afr am=amh ar=ara as=asm az=aze be=bel bg=bul bn=ben bo=bod br=bre bs=bos ca=cat co=cos cs=ces cy=cym da=dan de=deu dv=div "
        "dz=dzo el=ell en=eng eo=epo es=spa et=est eu=eus fa=fas fi=fin fo=fao fr=fra fy=fry ga=gle gd=gla gl=glg gu=guj he=heb hi=hin "
        "hr=hrv ht=hat hu=hun hy=hye id=ind is=isl it=ita iu=iku ja=jpn jv=jav ka=kat kk=kaz km=khm kn=kan ko=kor ku=kmr ky=kir la=lat "
        "lb=ltz lo=lao lt=lit lv=lav mi=mri mk=mkd ml=mal mn=mon mr=mar ms=msa mt=mlt my=mya ne=nep nl=nld no=nor oc=oci or=ori pa=pan "
        "pl=pol ps=pus pt=por qu=que ro=ron ru=rus sa=san sd=snd si=sin sk=slk sl=slv sq=sqi sr=srp su=sun sv=swe sw=swa ta=tam te=tel "
        "tg=tgk th=tha ti=tir tl=fil to=ton tr=tur tt=tat ug=uig uk=ukr ur=urd uz=uzb vi=vie yi=yid yo=yor zh=chi_sim"
    ).split()
)
_OTHER = "osd"  # finds how a page is turned; no language
_GAP = 1.0  # heights of a row between two words, from which on they are two regions
_SECONDS = 300  # for a page


def is_installed() -> bool:
    """Whether the program is there."""
    return shutil.which("tesseract") is not None


@cache
def languages() -> frozenset[str]:
    """The languages that are installed, as ISO 639-1 codes."""
    return frozenset(code for code, own in _CODES.items() if own in _models())


def package(language: str) -> str:
    """What to install for a language; empty if there is nothing."""
    own = _CODES.get(language, "")
    return f"tesseract-ocr-{own.replace('_', '-')}" if own else ""


def regions(image: NDArray[np.uint8], language: str = "") -> Iterator[tuple[str, NDArray[np.float64], float]]:
    """What is read in a picture (height x width x 3): words, corners (4 x 2, in pixels) and confidence (0 to 1) of each region.

    `language` is an ISO 639-1 code; empty where it is not told, for all that are installed. `ParseError` where the program gives up.
    """
    models = [_CODES[language]] if language else sorted(_models())
    given = b"P6 %d %d 255\n" % (image.shape[1], image.shape[0]) + np.ascontiguousarray(image).tobytes()
    command = ["tesseract", "stdin", "stdout", "-l", "+".join(models), "--psm", "3", "tsv"]
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise ParseError(f"text recognition failed ({type(error).__name__}): save it again") from error
    rows = csv.DictReader(done.stdout.decode("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = (row for row in rows if row["level"] == "5" and row["text"].strip())
    for _, line in groupby(words, key=lambda row: (row["page_num"], row["block_num"], row["par_num"], row["line_num"])):
        yield from _of_line(list(line))


def _of_line(words: list[dict[str, str]]) -> Iterator[tuple[str, NDArray[np.float64], float]]:
    boxes = np.array([[float(word[side]) for side in ("left", "top", "width", "height")] for word in words])
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    apart = np.flatnonzero(left[1:] - right[:-1] > _GAP * np.median(boxes[:, 3])) + 1
    for at in np.split(np.arange(len(words)), apart):
        x, y, to_x, to_y = left[at].min(), top[at].min(), right[at].max(), bottom[at].max()
        sure = float(np.mean([float(words[one]["conf"]) for one in at])) / 100
        corners = np.array([[x, y], [to_x, y], [to_x, to_y], [x, to_y]])
        yield " ".join(words[one]["text"] for one in at), corners, sure


@cache
def _models() -> frozenset[str]:
    if not is_installed():
        return frozenset()
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False, timeout=30)
    return frozenset((listed.stdout or listed.stderr).split("\n")[1:]) & frozenset(_CODES.values()) - {_OTHER}
