"""Pictures (PNG, GIF, JPEG, TIFF, WebP, BMP): the text recognised in them, where the extra `ocr` is installed; else they are refused.

Each picture of a file of several (TIFF) is a page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.paged.ocr import RecognisedPage, obstacle, recognised_page, told_of
from decoct.documents.paged.pdf_text import page_texts
from decoct.documents.places import PAGE_END
from decoct.errors import ParseError

_DOTS = 300 / 72  # pixels a point, if the file does not say


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a file of pictures."""
    if problem := obstacle(source.language):
        raise ParseError(f"it is a picture: {problem}")
    import numpy as np
    from PIL import Image, ImageSequence

    pages: list[RecognisedPage] = []
    try:
        with Image.open(io.BytesIO(source.read())) as picture:
            for frame in ImageSequence.Iterator(picture):
                image = np.asarray(frame.convert("RGB"), dtype=np.uint8)
                pages.append(recognised_page(image, _DOTS, source.language))
                if len(pages) > source.limits.pages:
                    raise ParseError(f"it has over {source.limits.pages:,} pages, the limit: split it")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ParseError("its picture is damaged or too large: save it again") from error
    texts = page_texts([page.lines for page in pages])
    told = told_of(dict(enumerate(pages)), texts, PAGE_END)
    yield source.document(PAGE_END.join(texts), metadata={"pages": len(pages), **told})
