"""Pictures (PNG, JPEG, TIFF, WebP, BMP): the text that is recognised in them, where the extra `ocr` is installed; else they are refused.

Each picture of a file of several (TIFF) is a page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import checked
from decoct.documents.ocr import INSTALL, is_available, recognised_lines
from decoct.documents.pdf_text import page_texts
from decoct.errors import ParseError

_PAGE_END = "\n\f"
_DOTS = 300 / 72  # pixels a point, if the file does not say


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a file of pictures."""
    if not is_available():
        raise ParseError(f"it is a picture: {INSTALL}")
    import numpy as np
    from PIL import Image, ImageSequence

    pages, confidence = [], []
    try:
        with Image.open(io.BytesIO(source.read())) as picture:
            for frame in ImageSequence.Iterator(picture):
                lines, sure = recognised_lines(np.asarray(frame.convert("RGB"), dtype=np.uint8), _DOTS)
                pages.append(lines)
                confidence += sure
                if len(pages) > source.limits.pages:
                    raise ParseError(f"it has over {source.limits.pages:,} pages, the limit: split it")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ParseError("its picture is damaged or too large: save it again") from error
    metadata: dict[str, MetadataValue] = {**source.metadata, "pages": len(pages), "pages_recognised": len(pages)}
    if confidence:
        metadata["ocr_confidence"] = round(sum(confidence) / len(confidence), 3)
    text = _PAGE_END.join(page_texts(pages))
    yield Document(
        source.name,
        checked(text, source.limits.text_characters),
        source=source.origin,
        metadata=metadata,
    )
