from __future__ import annotations

from debugloop.ingest.rejections import Rejections
from debugloop.session.collector_file import LATEST, CollectorFile

TOKEN = "ab" * 32


def nothing() -> None:
    pass


def test_every_refusal_is_counted_and_the_last_few_are_kept_whole() -> None:
    rejections = Rejections(TOKEN, nothing)
    for number in range(LATEST + 5):
        rejections.add("bad_record", size=number)
    rejections.add("log_full", records=7, mend="debugloop clear")
    file = rejections.count(CollectorFile(rejected={"bad_record": 1}))
    assert file.rejected == {"bad_record": LATEST + 6, "log_full": 7}
    assert len(file.latest) == LATEST
    assert (file.latest[-1].code, file.latest[-1].mend, file.latest[-2].size) == ("log_full", "debugloop clear", 24)


def test_what_could_not_be_written_is_written_later() -> None:
    rejections = Rejections(TOKEN, nothing)
    rejections.add("bad_record")

    assert rejections.count(CollectorFile()).rejected == {"bad_record": 1}
    assert rejections.pending
    assert rejections.count(CollectorFile()).rejected == {"bad_record": 1}
    rejections.counted()
    assert not rejections.pending


def test_an_origin_is_kept_short_printable_and_without_the_token() -> None:
    rejections = Rejections(TOKEN, nothing)
    rejections.add("origin_refused", origin=f"http://x/{TOKEN}\x1b[2Jé" + "y" * 500)

    (latest,) = rejections.count(CollectorFile()).latest
    origin = latest.origin or ""
    assert origin.startswith("http://x/...?[2J?yyy")
    assert len(origin) == 200


def test_each_refusal_asks_for_a_write() -> None:
    asked: list[int] = []
    rejections = Rejections(TOKEN, lambda: asked.append(1))
    rejections.add("a")
    rejections.add("b")
    assert len(asked) == 2
