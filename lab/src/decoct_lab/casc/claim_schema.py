"""The JSON schema of an extraction reply; closed, so that an unknown field is refused."""

from __future__ import annotations

from decoct.llm.base import Schema

MOST_CLAIMS = 12  # more than a document ever says on one question

CLAIMS: Schema = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": MOST_CLAIMS,
            "items": {
                "type": "object",
                "properties": {
                    "quote": {"type": "string", "minLength": 1, "maxLength": 1200},
                    "value": {"type": "string", "minLength": 1, "maxLength": 200},
                    "type": {"type": "string", "enum": ["number", "date", "entity", "bool", "text"]},
                    "part": {"type": "integer", "minimum": 0, "maximum": 9},
                    "hedge": {"type": "string", "enum": ["none", "weak", "strong"]},
                    "status": {"type": "string", "enum": ["stated", "withdrawn", "correction"]},
                    "relevance": {"type": "number", "minimum": 0, "maximum": 1},
                },
                "required": ["quote", "value", "type", "part", "hedge", "status", "relevance"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}
