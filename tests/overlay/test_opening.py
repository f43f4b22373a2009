"""A long log on the panel: its last page at once, and nothing moves when the rest has been read."""

from __future__ import annotations

from debugloop.session.records import Row
from debugloop.session.session import Session
from debugloop_overlay.kept import Rows
from tests.overlay.house import append, driven, publish
from tests.overlay.log_house import chosen, log_of
from tests.overlay.test_log_view import rows


async def test_what_is_read_stays_while_the_rest_of_a_long_log_is_read(session: Session) -> None:
    publish(session)
    append(session, *[{"message": f"row {number:04}", "filling": "x" * 100} for number in range(5_000)])
    async with driven(session, size=(180, 24)) as panel:
        await panel.sees("row 4999")
        await panel.press("k", "k")
        before = log_of(panel)
        await panel.sees("5,000 events", "4,999/5,000")
        assert log_of(panel) == before
        await panel.press("colon", *"2", "enter")
        assert "row 0000" in chosen(panel)
        await panel.press("o")
        await panel.sees("1:2", '"message": "row 0000"')


def older(rows: list[Row], dropped: int) -> Rows:
    kept = Rows()
    kept.extend(rows)
    kept.dropped = dropped
    return kept


def test_a_row_comes_back_as_it_was_whatever_stands_beside_it() -> None:
    odd = [
        Row(7, b'{"a":1}'),
        Row(8, b"torn", "torn"),
        Row(9, b'{"a":2}'),
        Row(12, b'{"a":3}'),
        Row(13, b"{}", steps=True),
    ]
    kept = Rows()
    kept.extend(odd[:2])
    kept.extend(odd[2:])
    assert list(kept) == odd
    kept.complete(older([Row(1, b"{}"), Row(2, b"x", "not_json")], dropped=0), odd[:1])
    assert list(kept) == [Row(1, b"{}"), Row(2, b"x", "not_json"), *odd]
    kept.clear()
    kept.extend(odd[3:])
    assert (list(kept), kept.first) == (odd[3:], 0)


def test_rows_keep_their_numbers_when_older_ones_come() -> None:
    kept = Rows()
    kept.extend(rows(4, 6))
    kept.complete(older(rows(1, 3), dropped=2), rows(4, 5))
    assert [kept[number].line for number in range(kept.first, kept.end)] == [1, 2, 3, 4, 5, 6]
    assert (kept.first, kept[0].line, kept.place(0), kept.total) == (-3, 4, 6, 8)


def test_older_rows_for_which_there_is_no_room_are_counted() -> None:
    kept = Rows(most=10)
    assert kept.extend(rows(1, 12))
    kept.complete(older(rows(1, 3), dropped=2), [])
    assert (kept.dropped, kept.total, len(kept)) == (7, 17, 10)
