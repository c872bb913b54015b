"""JSON lines, arrays and objects."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from reading import one, read, refused

from decoct.data import Document
from decoct.documents.base import Failure, Limits


def test_our_layout() -> None:
    record = {"id": "a1", "title": "A  title", "text": "words\r\nmore", "names": ["First", "Second ", 3], "year": 1912}
    record |= {"open": True, "note": "x", "nested": {"a": 1}, "none": None}
    document = one("corpus.jsonl", json.dumps(record))
    assert (document.id, document.title, document.text) == ("a1", "A title", "words\nmore\n\nnested / a: 1")
    assert document.names == ("First", "Second", "a1")
    assert document.metadata == {"year": 1912, "open": True, "note": "x"}
    assert document.source == "corpus.jsonl#1"


def test_beir_layout() -> None:
    record = {"_id": 7, "title": "T", "text": "words", "metadata": {"url": "https://e.org", "lang": "en"}}
    document = one("corpus.jsonl", json.dumps(record))
    assert (document.id, document.metadata) == ("7", {"url": "https://e.org", "lang": "en"})


def test_flashrag_layout() -> None:
    document = one(
        "corpus.jsonl", json.dumps({"id": "0", "contents": '"Larry Alcala"\nHe was a cartoonist.\nBorn 1926.'})
    )
    assert (document.title, document.text) == ("Larry Alcala", "He was a cartoonist.\nBorn 1926.")
    assert one("c.jsonl", json.dumps({"id": "0", "contents": "One line"})).text == "One line"
    document = one("c.jsonl", json.dumps({"id": "0", "title": "T", "contents": "First\nsecond"}))
    assert (document.title, document.text) == ("T", "First\nsecond")


def test_records_without_an_id_are_named_by_file_and_line() -> None:
    found = read("docs/c.jsonl", '{"text": "one"}\n\n{"text": "two"}\n')
    assert [item.id for item in found if isinstance(item, Document)] == ["docs/c.jsonl#1", "docs/c.jsonl#3"]


def test_bad_records_are_reported_with_their_line_and_lose_no_other() -> None:
    lines = [
        '{"id": "1", "text": "one"}',
        '{"id": "2", "text": ',
        '["no", "object"]',
        '{"id": "4", "text": "  "}',
        '{"id": "5", "title": "x"}',
        '{"id": "6", "text": "\\ud800six"}',
        "[" * 100_000,
        '{"id": "8", "n": ' + "9" * 5000 + ', "text": "eight"}',
        '{"id": "9", "x": NaN, "text": "nine"}',
    ]
    found = read("c.jsonl", "\n".join(lines).encode() + b'\n{"text": "\xff"}\n')
    good = [item for item in found if isinstance(item, Document)]
    bad = [item for item in found if isinstance(item, Failure)]
    assert [document.text for document in good] == ["one", "\ufffdsix", "nine"]
    assert [failure.source for failure in bad] == [f"c.jsonl#{line}" for line in (2, 3, 4, 5, 7, 8, 10)]
    assert {failure.code for failure in bad} == {"record"}
    assert "UTF-8" in bad[-1].reason
    assert "no text" in bad[2].reason
    assert "name the field" in bad[3].reason


def test_control_characters_in_strings_are_cleaned_not_refused() -> None:
    assert one("c.jsonl", b'{"id": "1", "text": "a\tb\x00c\x1fd"}').text == "a\tb c d"


def test_a_line_over_the_limit_is_passed_over() -> None:
    text = '{"id": "1", "text": "one"}\n{"id": "2", "text": "' + "x" * 3_000_000 + '"}\n{"id": "3", "text": "three"}'
    found = read("c.jsonl", text, Limits(text_characters=100))
    assert [getattr(item, "id", getattr(item, "code", "")) for item in found] == ["1", "size", "3"]


def test_arrays_and_objects() -> None:
    records = [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}]
    for text in (json.dumps(records), json.dumps(records, indent=2), "\ufeff" + json.dumps(records)):
        assert [item.id for item in read("c.json", text) if isinstance(item, Document)] == ["a", "b"]
        assert [item.id for item in read("c.jsonl", text) if isinstance(item, Document)] == ["a", "b"]
    assert one("c.json", json.dumps(records[0], indent=2)).id == "a"
    several = json.dumps(records[0], indent=2) + "\n" + json.dumps(records[1], indent=2)
    assert len(read("c.json", several)) == 2
    assert len(read("c.json", "\n".join(map(json.dumps, records)))) == 2
    assert one("c.jsonl", json.dumps(records[:1]).encode("utf-16")).id == "a"


def test_a_damaged_array_keeps_what_stands_before_the_damage() -> None:
    good, bad = read("c.json", '[\n{"id": "a", "text": "one"},\n{"id": "b", "text": }]')
    assert isinstance(good, Document)
    assert isinstance(bad, Failure)
    assert bad.source == "c.json#3"
    for text in ('[{"text": "a"} {"text": "b"}]', '[{"text": "a"}', '[{"text": "a"}] more', '[{"text": "a"},'):
        assert isinstance(read("c.json", text)[-1], Failure), text


def test_nothing_in_it() -> None:
    for text in ("[]", "\n \n", "{}" * 0 + "\ufeff"):
        assert refused("c.jsonl", text) in ("it holds no records", "it is empty")
    assert "damaged" in read("c.json", "[" * 50_000)[0].reason  # type: ignore[union-attr]


SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
RECORD = st.dictionaries(
    st.sampled_from(["id", "_id", "title", "text", "contents", "metadata", "names", "url", "x", "\ud800", ""]),
    SCALAR | st.lists(SCALAR, max_size=3) | st.dictionaries(st.text(max_size=3), SCALAR, max_size=3),
    max_size=6,
)


@given(st.lists(RECORD, min_size=1, max_size=5))
def test_every_record_gives_one_outcome_that_can_be_stored(records: list[dict[str, object]]) -> None:
    for text in ("\n".join(map(json.dumps, records)), json.dumps(records)):
        found = read("c.jsonl", text)
        assert len(found) == len(records)
        for item in found:
            if isinstance(item, Document):
                assert item.text.strip()
                json.dumps(dict(item.metadata), allow_nan=False).encode()
                "".join([item.id, item.title, item.source, *item.names, *item.metadata]).encode("utf-8")


def test_records_without_text_are_told_field_by_field() -> None:
    found = one("a.jsonl", '{"question": "How long?", "answer": "Two years.", "by": {"who": "Ann"}}')
    assert found.text == "question: How long?\nanswer: Two years.\nby / who: Ann"


def test_a_list_of_texts_is_one_text() -> None:
    found = one("a.json", '[{"title": "B", "content": ["The gate is red.", "The fence is blue."]}]')
    assert (found.title, found.text) == ("B", "The gate is red.\n\nThe fence is blue.")


def test_records_in_the_one_list_of_an_object_are_read_each() -> None:
    found = read("a.json", '{"articles": [{"text": "One."}, {"text": "Two."}], "total": 2}')
    first, second = [item for item in found if isinstance(item, Document)]
    assert (first.text, second.text) == ("One.", "Two.")
    assert first.id != second.id
    assert first.metadata["total"] == 2


def test_nothing_beside_or_within_the_records_of_an_object_is_lost() -> None:
    data = {
        "name": "Fleet",
        "year": 2024,
        "boats": [{"code": "A1", "sizes": [1, [2, 3]], "ok": True}, {"code": "B2", "crew": [{"n": 2}]}],
    }
    about, first, second = [item for item in read("a.json", json.dumps(data)) if isinstance(item, Document)]
    assert (about.title, about.text) == ("Fleet", "year: 2024")
    assert first.text == "name: Fleet\ncode: A1\nsizes: 1; 2, 3\nok: true"
    assert second.text == "name: Fleet\ncode: B2\ncrew | n: 2"
    assert {one.metadata["year"] for one in (first, second)} == {2024}
    assert len({about.id, first.id, second.id}) == 3


def test_a_record_with_a_list_of_objects_is_one_record() -> None:
    record = {
        "code": "A1",
        "stock": {"oslo": 3},
        "parts": [{"name": "axle", "amount": 2}, {"name": "pin", "amount": 8}],
    }
    told = "code: A1\nstock / oslo: 3\nparts | name: axle | amount: 2\nparts | name: pin | amount: 8"
    assert one("a.json", json.dumps([record])).text == told
    assert one("a.jsonl", json.dumps(record)).text == told


def test_a_record_nested_too_deeply_is_a_failure_of_its_own() -> None:
    deep = '{"a": ' * 800 + '"x"' + "}" * 800
    found = read("a.jsonl", f'{deep}\n{{"text": "words"}}\n')
    assert [type(item) for item in found][-1] is Document
    assert all(isinstance(item, Document | Failure) for item in found)


def test_what_is_no_metadata_stands_below_the_text() -> None:
    record = {"text": "It is 90 m.", "cost": 45, "owner": {"name": "City"}, "gates": [{"no": 7}], "note": "x" * 2_000}
    document = one("a.json", json.dumps({**record, "metadata": {"lake": "Ros"}}))
    assert document.text == f"It is 90 m.\n\nowner / name: City\ngates | no: 7\nnote: {'x' * 2_000}"
    assert (document.metadata["cost"], document.metadata["lake"]) == (45, "Ros")


def test_records_on_one_line_have_names_of_their_own() -> None:
    found = read("a.json", '[{"q": "Depth?", "a": 7}, {"q": "Width?", "a": 9}]')
    assert [item.id for item in found if isinstance(item, Document)] == ["a.json#1", "a.json#1.2"]


def test_parts_with_texts_and_names_are_records_and_others_stay_with_what_they_are_of() -> None:
    steps = {"dish": "Rye soup", "steps": [{"text": "Boil."}, {"text": "Stir."}]}
    assert one("a.json", json.dumps(steps)).text == "dish: Rye soup\nsteps | text: Boil.\nsteps | text: Stir."
    notes = {"board": "Allotment", "notes": [{"id": 1, "text": "Gate shut."}, {"id": 2, "text": "Gate open."}]}
    found = [item for item in read("a.json", json.dumps(notes)) if isinstance(item, Document)]
    assert [item.text for item in found] == ["board: Allotment", "Gate shut.", "Gate open."]
    assert found[2].metadata["board"] == "Allotment"


def test_a_message_of_a_chat_begins_with_who_wrote_it_when_and_to_whom() -> None:
    told = {
        "telegram": {"name": "Band", "messages": [
            {"id": 1, "date": "2025-05-02T18:30:11", "from": "Ana", "text": "Who has it?", "text_entities": [{"text": "x"}]},
            {"id": 2, "date": "2025-05-02T18:31:11", "from": "Raj", "reply_to_message_id": 1, "text": ["I, ", {"text": "two"}]},
        ]},
        "slack": [
            {"ts": "1741082400.0001", "user": "U1", "user_profile": {"display_name": "", "real_name": "Ana"}, "text": "&lt;4&gt; <!here>"},
            {"ts": "1741082460.0002", "thread_ts": "1741082400.0001", "user": "U2", "text": "<@U1> <#C2|ops> <https://a.org/p|price>"},
        ],
        "discord": {"channel": {"name": "boats"}, "messages": [
            {"id": "1", "timestamp": "2025-05-02T18:30:11+00:00", "content": "Hi", "author": {"id": "9", "name": "a", "nickname": "Ana"}},
            {"id": "2", "timestamp": "2025-05-02T18:30:59+00:00", "content": "Ho", "author": {"id": "8", "name": "Raj"},
             "reference": {"messageId": "1"}},
        ]},
        "messenger": {"participants": [{"name": "Ana"}, {"name": "Raj"}], "messages": [
            {"sender_name": "Ana", "timestamp_ms": 1714672200000, "content": "Hi"},
            {"sender_name": "Raj", "timestamp_ms": 1714672260000, "content": "Ho"},
        ]},
        "articles": [{"author": "Ana", "date": "2025-05-02T10:00:00", "title": "A", "text": "Hi"},
                     {"from": "Rome", "date": "2025-05-02", "title": "B", "text": "Ho"}],
    }  # fmt: skip
    found = {name: read("a.json", json.dumps(file))[-2:] for name, file in told.items()}
    assert {name: [one.text for one in last if isinstance(one, Document)] for name, last in found.items()} == {
        "telegram": ["Ana, 2025-05-02 18:30: Who has it?", "Raj, 2025-05-02 18:31, to Ana: I, two"],
        "slack": [
            "Ana, 2025-03-04 10:00 UTC: <4> @here",
            "U2, 2025-03-04 10:01 UTC, to Ana: @Ana #ops price (https://a.org/p)",
        ],
        "discord": ["Ana, 2025-05-02 18:30: Hi", "Raj, 2025-05-02 18:30, to Ana: Ho"],
        "messenger": ["Ana, 2024-05-02 17:50 UTC: Hi", "Raj, 2024-05-02 17:51 UTC: Ho"],
        "articles": ["Hi", "Ho"],
    }


def test_lists_that_are_columns_are_told_row_by_row() -> None:
    told = {
        '{"days": {"time": ["2025-03-01", "2025-03-02"], "rain": [0.0, null]}, "at": "Ure"}':
            "days | time: 2025-03-01 | rain: 0.0\ndays | time: 2025-03-02\nat: Ure",
        '{"name": ["Oak", "Elm", "Ash"], "age": [90, null, 11]}': "name: Oak | age: 90\nname: Elm\nname: Ash | age: 11",
        '{"authors": ["Ann", "Bo"], "tags": ["x", "y"]}': "authors: Ann, Bo\ntags: x, y",
        '{"authors": ["Ann", "Bo"], "pages": [12, 15]}': "authors: Ann, Bo\npages: 12, 15",
        '{"min": [0, 0, 0], "max": [1, 1, 1]}': "min: 0, 0, 0\nmax: 1, 1, 1",
    }  # fmt: skip
    assert {text: one("a.json", text).text for text in told} == told
