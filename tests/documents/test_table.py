"""CSV and its kin."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading import one, read, refused

from decoct.data import Document
from decoct.documents.base import Failure, Limits


def test_a_text_column() -> None:
    found = read("c.csv", 'ID,Title,Text,year\n7,"A, title","words\r\nmore",1912\n,B,other,\n')
    first, second = (item for item in found if isinstance(item, Document))
    assert (first.id, first.title, first.text, first.metadata) == ("7", "A, title", "words\nmore", {"year": "1912"})
    assert (second.id, second.title, second.text, second.metadata) == ("c.csv#4", "B", "other", {})


def test_a_text_column_among_a_person_s_is_a_cell_like_others() -> None:
    rows = "Notice,Where,Text,Status\nHB-061/26,Quay 2,closed for dredging,active\n"
    assert one("c.csv", rows).text == "Notice: HB-061/26\nWhere: Quay 2\nText: closed for dredging\nStatus: active"
    assert one("c.csv", rows.replace("Text", "text")).text == "closed for dredging"
    long = "closed for dredging, as the ferry lay aground there at low water in every week of the last two winters"
    found = one("c.csv", rows.replace("closed for dredging", f'"{long}"'))
    assert found.text == f"{long}\nNotice: HB-061/26\nWhere: Quay 2\nStatus: active"


def test_without_a_text_column_every_filled_cell_is_a_line() -> None:
    document = one("people.csv", "name,born,died\nLarry Alcala,1926,\n")
    assert document.text == "name: Larry Alcala\nborn: 1926"
    assert document.title == "Larry Alcala"
    assert document.metadata == {"born": "1926"}


def test_what_stands_beside_an_abstract_is_told_with_it() -> None:
    said = "We measured the wear of ceramic seals in pumps over two years, at four depths and speeds."
    text = f"{said}\n{{}}Journal: J. Pumps\nyear: 2019"
    assert one(
        "c.csv", f"title,abstract,Journal,year\nSeals,{said.replace(',', '')},J. Pumps,2019\n"
    ).text == text.format("").replace(",", "")
    record = f'{{"title": "Seals", "abstract": "{said}", "Journal": "J. Pumps", "year": 2019}}'
    assert one("c.jsonl", record).text == text.format("\n")


def test_delimiters() -> None:
    for delimiter in ",;\t|":
        text = f'id{delimiter}"t{delimiter}x"{delimiter}text\n1{delimiter}b{delimiter}words, and more\n'
        if delimiter == ",":
            text = text.replace("words, and", "words and")
        document = one("c.csv", text)
        assert document.text.startswith("words")
        if delimiter != "\t":  # a tab in a name is white space
            assert document.metadata == {f"t{delimiter}x": "b"}


def test_bad_rows_are_reported_with_their_line_and_lose_no_other() -> None:
    found = read("c.csv", 'id,text\n1,one\n2\n3,three,3\n4,"fo"ur\n\n5,five\n6,  \n7,"cut off')
    assert [item.text for item in found if isinstance(item, Document)] == ["one", "three\ncolumn 3: 3", "five"]
    bad = [item for item in found if isinstance(item, Failure)]
    assert [failure.source for failure in bad] == [f"c.csv#{line}" for line in (3, 5, 8, 9)]
    assert "it has no text" in bad[0].reason


def test_a_quote_that_is_not_closed_costs_its_own_row_only() -> None:
    rows = [f"{n},row {n}" for n in range(2, 60)]
    rows[10] = '12,"never closed'
    found = read("c.csv", "\n".join(["id,text", *rows]))
    assert [item.id for item in found if isinstance(item, Document)] == [str(n) for n in range(2, 60) if n != 12]
    (bad,) = (item for item in found if isinstance(item, Failure))
    assert bad.source == "c.csv#12"
    rows[40] = '42,"closed"'
    found = read("c.csv", "\n".join(["id,text", *rows]))
    assert [item.id for item in found if isinstance(item, Document)] == [str(n) for n in range(2, 60) if n != 12]
    assert {item.source for item in found if isinstance(item, Failure)} == {"c.csv#12"}
    far = read("c.csv", "\n".join(["id,text", '1,"open', *rows[:10] * 20]), Limits(text_characters=500))
    assert len([item for item in far if isinstance(item, Document)]) == 200


def test_encodings() -> None:
    text = "id,text\n1,Привет мир это длинный текст на русском языке для проверки\n" * 1
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1251"):
        assert one("c.csv", text.encode(encoding)).text.startswith("Привет мир"), encoding
    assert one("c.csv", "id,text\n1,Zürich\n".encode("cp1252")).text == "Zürich"
    late = b"id,text\n" + (b"1," + b"x" * 700 + b"\n") * 2_000 + "2,Zürich\n".encode("cp1252")
    found = read("c.csv", late)
    assert isinstance(found[-1], Document)
    assert found[-1].text == "Zürich"


def test_a_damaged_wide_file_is_refused() -> None:
    good, bad = read("c.csv", "id,text\n1,words\n".encode("utf-16") + b"x")
    assert isinstance(good, Document)
    assert isinstance(bad, Failure)
    assert "not all in utf-16" in refused("c.csv", "id".encode("utf-16") + b"\xff")


def test_names_and_unnamed_columns() -> None:
    document = one("c.csv", "text,aliases,,x,x\nwords,First|Second,a,b,c\n")
    assert document.names == ("First", "Second")
    assert document.metadata == {"column 3": "a", "x": "b", "x 5": "c"}


def test_nothing_in_it() -> None:
    assert "no rows" in refused("c.csv", "id,text\n")
    assert "first row is empty" in refused("c.csv", "\n\n")
    assert "not text" in refused("c.csv", bytes(2000))
    assert "cut off" in refused("c.csv", b"id,text\n1,a\xc3")


def test_a_line_without_end_is_refused() -> None:
    assert "longer than 100 characters" in refused("c.csv", "id,text\n1," + "x" * 500, Limits(text_characters=100))


CELL = st.text(alphabet=st.sampled_from('ab ,;"\n|é\t'), max_size=6)


# A blank row is none of a table: a further table with names of its own may begin behind it.
ROW = st.tuples(CELL, CELL, CELL).filter(lambda row: any(cell.strip() for cell in row))


@given(st.lists(ROW, max_size=6))
@example([("", ", ", " ;")])
@example([("", ', "', " ;")])
def test_what_csv_wrote_is_read_back(rows: list[tuple[str, str, str]]) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("x", "y", "text"))
    writer.writerows(rows)
    texts = [text for *_, text in rows if text.strip()]
    found = read("c.csv", out.getvalue())
    assert [item.text for item in found if isinstance(item, Document)] == texts


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("sep=;\nName;City\nOna;Bath", "Name: Ona\nCity: Bath"),
        ("Inventory of 2026\n\nItem,Shelf,Count\nLamp,A4,7", "Item: Lamp\nShelf: A4\nCount: 7"),
        ("Inventory,,\nItem,Shelf,Count\nLamp,A4,7", "Item: Lamp\nShelf: A4\nCount: 7"),
        ("City, Country;Units;Price, EUR\nBath, UK;12;3,50\nRye, UK;7;1,20", "City, Country: Bath, UK\nUnits: 12\nPrice, EUR: 3,50"),
        ("Item,Shelf,\nLamp,A4\nSofa,B2", "Item: Lamp\nShelf: A4"),
        ("Item,Shelf\nLamp,A4,,\nSofa,B2", "Item: Lamp\nShelf: A4"),
        ("# made by tool 4\n# do not edit\nKey,Owner\nK-12,Ona", "Key: K-12\nOwner: Ona"),
        ("#Key,Owner\nK-12,Ona", "#Key: K-12\nOwner: Ona"),
        ("Item\tNote\nLamp\tred, round; old", "Item: Lamp\nNote: red, round; old"),
        ("Document,Owner\nLease agreement,Mara Lind", "Document: Lease agreement\nOwner: Mara Lind"),
        ("Item,Content,Price\nTea,100 g,4.80", "Item: Tea\nContent: 100 g\nPrice: 4.80"),
        (f"Owner,Content\nMara,{'A long text about it. ' * 5}", f"{'A long text about it. ' * 5}\nOwner: Mara"),
        ("id,Content\n1,short", "short"),
        ("Item,Count\nLamp,7,new", "Item: Lamp\nCount: 7\ncolumn 3: new"),
        ("2024-01-03,North,12\n2024-01-04,South,7\n2024-01-05,North,9", "column 1: 2024-01-03\ncolumn 2: North\ncolumn 3: 12"),
        ("1,Lamp,7\n2,Sofa,3\n3,Rug,5", "column 1: 1\ncolumn 2: Lamp\ncolumn 3: 7"),
        ("Region,2023,2024\nNorth,12,14\nSouth,7,9", "Region: North\n2023: 12\n2024: 14"),
        ("Team,2019,2020\nA,won,lost\nB,lost,won", "Team: A\n2019: won\n2020: lost"),
        ("Size,38,40,42\nBoot,3,5,2\nShoe,4,1,0", "Size: Boot\n38: 3\n40: 5\n42: 2"),
        ("Region,2023,,2024,\n,Units,Sales,Units,Sales\nNorth,1,2,3,4\nSouth,5,6,7,8",
         "Region: North\n2023 / Units: 1\n2023 / Sales: 2\n2024 / Units: 3\n2024 / Sales: 4"),
        ("Name,Length,Mass\n,m,kg\nRod,2,3\nBar,4,5", "Name: Rod\nLength / m: 2\nMass / kg: 3"),
        ("Item,Q1,Q2\nLamp,n/a,n/a\nSofa,3,4\nRug,5,6", "Item: Lamp\nQ1: n/a\nQ2: n/a"),
        ('Part,Code\nPump,="00412"', "Part: Pump\nCode: 00412"),
        ("Set,Land\nYear,1996\n,Area,People\n\nNorth,12,40\nSouth,7,9", "column 1: North\nArea: 12\nPeople: 40"),
    ],
)  # fmt: skip
def test_files_as_programs_write_them(text: str, first: str) -> None:
    assert rows_of("c.csv", text)[0].text == first


def rows_of(name: str, text: str) -> list[Document]:
    """The documents but the one of the lines above the names."""
    found = [item for item in read(name, text) if isinstance(item, Document)]
    return found["above" in found[-1].metadata :]


def test_what_stands_above_the_names_is_a_document() -> None:
    found = read("c.csv", "Logger v2\nSerial:,TL-7\nStart:,2025-06-01\nTime,Temp\nhh:mm,°C\n00:00,4.2\n00:10,4.3\n")
    assert [one.text for one in found if isinstance(one, Document)] == [
        "Logger v2\nSerial: TL-7\nStart: 2025-06-01", "Time / hh:mm: 00:00\nTemp / °C: 4.2", "Time / hh:mm: 00:10\nTemp / °C: 4.3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "above", "names"),
    [
        ("Sales;made 4 May\n\nClient;Ina Roos\nBalance;2.1;EUR\n\nAll rows.\n\nDay;Payee;Sum;Unit\n01.02.2025;Water;4;EUR\n"
         "02.02.2025;Power;9;EUR\n", 4, "Day Payee Sum Unit"),
        ("Well,B-12\nDepth,320\nDrilled,2025-01-01\nDay,Rain,Temp\n2025-01-01,2.1,4.0\n2025-01-02,0.0,3.1\n", 3, "Day Rain Temp"),
        ("River:,Ure\nGauge:,B2\n\nTime,Level\n2025-01-01,0.71\n2025-01-02,0.72\n", 2, "Time Level"),
        ("Sort,A,A,B,B\nYear,2023,2024,2023,2024\nUnit,t,t,t,t\nRye,12,13,8,9\nOat,14,,2,5\n", 0,
         "Sort/Year/Unit A/2023/t A/2024/t B/2023/t B/2024/t"),
        ("Crop;2023;2023;2024;2024\nPart;Q1;Q2;Q1;Q2\nRye;12;14;13;15\nOat;3;4;3;5\n", 0,
         "Crop/Part 2023/Q1 2023/Q2 2024/Q1 2024/Q2"),
        ("Item,Price\nElm,12\nOak,n/a,see note\nAsh,14\n", 0, "Item Price"),
        ("Item,Note,Note,Price\nOak,red,old,5\nElm,big,tall,7\n", 0, "Item Note Note_3 Price"),
        ("Size,Unit,Value\nLength,m,3.2\nMass,kg,12\n", 0, "Size Unit Value"),
        ("Plot,Zone\nLamp,A4\nSofa,B2\n", 0, "Plot Zone"),
    ],
)  # fmt: skip
def test_where_a_table_begins_and_how_many_heads_it_has(text: str, above: int, names: str) -> None:
    found = read("c.csv", text)
    row = rows_of("c.csv", text)[0]
    assert isinstance(found[0], Document)
    assert (found[0].text.count("\n") + 1 if found[0] != row else 0) == above
    said = [line.partition(": ")[0].replace(" / ", "/").replace(" ", "_") for line in row.text.split("\n")]
    assert " ".join(said) == names


def test_further_tables_stand_behind_blank_lines() -> None:
    two = "Item,Qty\nLamp,2\nSofa,1\n\nStaff of 2026\n\nEmployee,Room,Phone\nMara,204,7731\nOna,310,7742\n\nTotal,2,3\n"
    found = [item for item in read("c.csv", two) if isinstance(item, Document)]
    assert [item.text.replace("\n", " ") for item in found] == [
        "Item: Lamp Qty: 2", "Item: Sofa Qty: 1", "Employee: Mara Room: 204 Phone: 7731", "Employee: Ona Room: 310 Phone: 7742",
        "Employee: Total Room: 2 Phone: 3",
    ]  # fmt: skip
    assert [item.title for item in found] == ["", "", *["Staff of 2026"] * 3]
    assert [item.id for item in found] == [f"c.csv#{line}" for line in (2, 3, 8, 9, 11)]
    [bank] = rows_of("c.csv", "Account;DE12\nPeriod;01/2024\n\nDate;Payee;Amount\n03.01.2024;Power;-85,20\n")
    assert (bank.metadata["above"], bank.metadata["Payee"]) == ("Account: DE12; Period: 01/2024", "Power")


def test_what_stands_above_the_names_is_the_title_and_cells_beyond_them_are_told() -> None:
    [titled] = rows_of("c.csv", "Inventory of 2026\n# by tool 4\nItem,Shelf\nLamp,A4\n")
    assert (titled.title, titled.metadata["above"]) == ("Inventory of 2026", "Inventory of 2026; by tool 4")
    wide = one("c.csv", "Item,Shelf\nLamp,A4,x,y\n")
    assert wide.metadata["left_out"] == "cells beyond the named columns, kept under the number of theirs (2)"
    kept = one("c.csv", "Document,Owner\nLease agreement,Mara Lind\n")
    assert kept.metadata == {"Owner": "Mara Lind", "document": "Lease agreement"}


def test_a_cell_that_is_left_out_at_the_end_of_a_row_is_blank() -> None:
    found = read("a.csv", "City,Pop,Note\nOslo,700,capital\nRome,2800\nBern\n")
    assert [one.text for one in found if isinstance(one, Document)] == [
        "City: Oslo\nPop: 700\nNote: capital",
        "City: Rome\nPop: 2800",
        "City: Bern",
    ]


@pytest.mark.parametrize(
    ("rows", "documents"),
    [
        ("Company,Nordwind AG\nFounded,1987\nCEO,Lena Voss\n", 1),
        ("Name:;Ros Dam\nHeight:;90\nOwner:;City\n", 1),
        ("Part,Stock\nBolt,12\nNut,none\nPin,7\nCap,9\nRod,3\n", 5),
        ("City,River\nOslo,Aker\nRome,Tiber\n", 2),
        ("title,text\nOslo,The town\nRome,2800\n", 2),
    ],
)
def test_a_file_of_labels_and_values_is_one_document(rows: str, documents: int) -> None:
    found = read("a.csv", rows)
    assert len(found) == documents
    if documents == 1:
        assert isinstance(found[0], Document)
        assert found[0].text == rows.strip().replace(",", ": ").replace(":;", ": ")


def test_names_with_a_meaning_are_told_as_they_are_written() -> None:
    assert one("a.csv", "Abstract,Owner\nLease,Ann\n").text == "Abstract: Lease\nOwner: Ann"


def test_a_titled_table_behind_a_blank_line_has_its_own_names() -> None:
    found = rows_of("a.csv", "Rooms\nNo,Beds\n11,2\n12,3\n\nStaff\nWorker,Shift\nIna,late\nJo,early\n")
    told = [(one.text, one.metadata["above"]) for one in found]
    assert told[1:] == [
        ("No: 12\nBeds: 3", "Rooms"), ("Worker: Ina\nShift: late", "Staff"), ("Worker: Jo\nShift: early", "Staff"),
    ]  # fmt: skip


def test_labels_of_a_pivot_table_hold_for_the_rows_below() -> None:
    found = read("a.csv", "Region,Shop,Q1\nNorth,Alfa,10\n,Beta,30\nNorth total,,40\nSouth,Gama,5\n,Delta,7\n")
    assert [one.text.split("\n")[0] for one in found if isinstance(one, Document)] == [
        "Region: North", "Region: North", "Region: North total", "Region: South", "Region: South",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ("Well:,B-12\nDriller:,Ane Kvist\nDepth,Rock,Core\n10,clay,0.8\n20,chalk,1.1\n", "Depth: 10\nRock: clay\nCore: 0.8"),
        ("Ship,Iris,,\nPort: Hull,,,\nHold,Cargo,Tons,Seal\n1,salt,40,yes\n2,rye,38,no\n", "Hold: 1\nCargo: salt\nTons: 40\nSeal: yes"),
        ("Ship:,Iris,,\nHold,Cargo,Seal,Mate\nA,salt,red,Bo\nB,rye,blue,Jo\n", "Hold: A\nCargo: salt\nSeal: red\nMate: Bo"),
        ("71120,Hinge left,4.20\n71999,Door seal,11.75\n80003,Lamp,0.95\n", "column 1: 71120\ncolumn 2: Hinge left\ncolumn 3: 4.20"),
        ("Jetty,open\nPier,shut\nQuay,open\nDock,open\n", "column 1: Jetty\ncolumn 2: open"),
        ("Shoe,36,38,40\nBoot,2,0,5\nClog,1,7,3\n", "Shoe: Boot\n36: 2\n38: 0\n40: 5"),
        ("Key,State\nState,on\nKey,off\n", "Key: State\nState: on"),
        (",Hall,,Yard,\nDay,Clean,Safe,Clean,Safe\nMon,ok,bad,ok,ok\nTue,bad,ok,ok,bad\n",
         "Day: Mon\nHall / Clean: ok\nHall / Safe: bad\nYard / Clean: ok\nYard / Safe: ok"),
        (",Hall,,Yard\nA1,red,left,Bob\nA2,blue,right,Ann\n", "column 1: A1\nHall: red\ncolumn 3: left\nYard: Bob"),
    ],
)  # fmt: skip
def test_heads_are_told_from_lines_above_and_from_records(rows: str, first: str) -> None:
    assert rows_of("a.csv", rows)[0].text == first


def test_lines_behind_a_table_are_of_no_column() -> None:
    found = read(
        "a.csv", "Run,Time,Lane\nHeat A,41.2,3\nHeat B†,40.9,4\n† wind aided,,\n,,\nSource: club,,\nChecked,,\n"
    )
    assert [one.text for one in found if isinstance(one, Document)][2:] == ["† wind aided", "Source: club", "Checked"]
