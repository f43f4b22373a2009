from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from debugloop.probes import markers
from debugloop.probes.markers import NO_ID

COMMENTS = [
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
    ("'", ""),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{/*", "*/}"),
    ("(*", "*)"),
    ("{-", "-}"),
    ("{#", "#}"),
    ("{{!--", "--}}"),
    ("<%--", "--%>"),
]


def regions(data: bytes, session: str = "s") -> list[str]:
    found, problems = markers.judge(markers.find(data), session)
    assert not problems
    return [region.probe for region in found]


def problems(data: bytes, session: str = "s") -> list[tuple[int, str]]:
    return [(problem.line, problem.reason) for problem in markers.judge(markers.find(data), session)[1]]


def stripped(data: bytes, session: str = "s") -> bytes:
    found, wrong = markers.judge(markers.find(data), session)
    assert not wrong
    return markers.remove(data, found, {region.probe for region in found})


def probe(name: str, *, session: str = "s", opener: str = "//", closer: str = "", eol: str = "\n") -> str:
    begin, end = markers.marker_lines(f"{session}/{name}", opener, closer)
    return f"{begin}{eol}log();{eol}{end}{eol}"


@pytest.mark.parametrize(("opener", "closer"), COMMENTS)
def test_a_marker_is_found_in_each_comment_syntax(opener: str, closer: str) -> None:
    text = "a\n" + probe("1", opener=opener, closer=closer) + "b\n"
    assert regions(text.encode()) == ["s/1"]
    assert stripped(text.encode()) == b"a\nb\n"


@pytest.mark.parametrize(("opener", "closer"), [("/*", "*/"), ("<!--", "-->"), ("{/*", "*/}")])
def test_a_formatter_may_take_the_blanks_out_of_a_comment(opener: str, closer: str) -> None:
    text = f"{opener}#region debugloop s/1{closer}\n{opener}#endregion debugloop s/1{closer}\n"
    assert stripped(text.encode()) == b""


def test_a_formatter_may_put_a_blank_behind_the_hash() -> None:
    assert stripped(b"x\n# # region debugloop s/1\ny\n#   # endregion debugloop s/1\n") == b"x\n"


@pytest.mark.parametrize(
    "line",
    [
        b'x = "# #region debugloop s/1"',
        b"x = 1  # #region debugloop s/1",
        b"print('// #region debugloop s/1')",
        b"// see #region debugloop s/1",
        b"// #region debugloop s/1 is a marker",
        b"// #region debugloop s-1",
        b"// #region debugloop s/1/2",
        b"// #region debugloops s/1",
        b"#region debugloop s/1",
        b"/* #region debugloop s/1",
        b"// #region debugloop s/1 */",
        b"// #regional debugloop s/1",
    ],
)
def test_what_does_not_stand_alone_as_a_comment_is_text(line: bytes) -> None:
    assert markers.find(b"a\n" + line + b"\nb\n") == []


def test_a_marker_without_an_id_belongs_to_nobody() -> None:
    data = b"// #region debugloop\nx\n// #endregion debugloop\n"
    assert [marker.probe for marker in markers.find(data)] == [NO_ID, NO_ID]
    assert stripped(data) == data


def test_the_id_names_session_and_probe() -> None:
    (begin, _) = markers.find(probe("imports", session="20240101-120000-a1.b_c").encode())
    assert (begin.session, begin.name, begin.line, begin.kind) == ("20240101-120000-a1.b_c", "imports", 1, "begin")


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_go_with_the_region_and_no_other_does(eol: str) -> None:
    text = eol.join(["a", "  " + probe("1", eol=eol).rstrip(), "b", ""])
    assert stripped(text.encode()) == eol.join(["a", "b", ""]).encode()


def test_the_line_number_counts_as_editors_do() -> None:
    data = b"a\r\nb\n\n" + probe("1").encode()
    assert [marker.line for marker in markers.find(data)] == [4, 6]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-bom"])
def test_a_byte_order_mark_stays_where_it_is(encoding: str) -> None:
    bom, codec = ("\ufeff", "utf-16-be") if encoding == "utf-16-be-bom" else ("", encoding)
    data = (bom + probe("1") + "größer 数\n").encode(codec)
    assert stripped(data) == (bom + "größer 数\n").encode(codec)


def test_in_utf_16_a_letter_that_only_looks_like_a_marker_in_its_low_byte_is_none() -> None:
    text = "// #region debugloop s/1\n".replace("r", "Ų")  # U+0172: its low byte is an r
    assert markers.find(text.encode("utf-16")) == []


@pytest.mark.parametrize("last", ["a", "\u0d0a", "\u0a0d", "a\r\n", ""])
def test_in_utf_16_too_the_file_ends_as_it_ended(last: str) -> None:
    region = "// #region debugloop s/1\nx\n// #endregion debugloop s/1"
    assert stripped((last + ("\n" if last else "") + region).encode("utf-16")) == last.encode("utf-16")


@pytest.mark.parametrize("before", [b"", b"a", b"a\n", b"a\r\n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbfa"])
@pytest.mark.parametrize("eol", [b"\n", b"\r\n"])
def test_a_probe_below_a_last_line_without_line_end_goes_with_the_line_end_it_needed(before: bytes, eol: bytes) -> None:
    region = eol.join([b"// #region debugloop s/1", b"x", b"// #endregion debugloop s/1"])
    glue = b"" if before in {b"", b"\xef\xbb\xbf"} else eol
    assert stripped(before + glue + region) == before


def test_a_line_end_that_came_with_no_probe_stays() -> None:
    text = b"a\n" + probe("1").encode().rstrip(b"\n")
    regions, _ = markers.judge(markers.find(text), "s")
    assert markers.remove(text, regions) == b"a\n"
    assert markers.remove(text, regions, {"s/1"}) == b"a"
    behind = text + b"\n" + probe("2").encode().rstrip(b"\n")
    regions, _ = markers.judge(markers.find(behind), "s")
    assert markers.remove(behind, regions, {"s/1"}) == b"a"
    assert markers.remove(behind, regions[1:], {"s/1"}) == b"a\n" + probe("1").encode()


def test_neighbouring_regions_go_each_for_itself() -> None:
    assert stripped((probe("1") + probe("2") + "x\n" + probe("3")).encode()) == b"x\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("+1", [(1, "s/1 begins but does not end")]),
        ("-1", [(1, "s/1 ends but does not begin")]),
        ("+1 +2 -2 -1", [(2, "s/2 begins within s/1, which began in line 1"), (4, "s/1 ends but does not begin")]),
        ("+1 -2", [(2, "s/2 ends within s/1, which began in line 1")]),
        ("+1 -1 +1 -1", [(3, "s/1 stands twice, first in line 1")]),
        ("-1 +1", [(1, "s/1 ends but does not begin"), (2, "s/1 begins but does not end")]),
    ],
)
def test_markers_that_do_not_pair_are_told_with_their_lines(lines: str, expected: list[tuple[int, str]]) -> None:
    text = "".join(f"# #{'end' if word[0] == '-' else ''}region debugloop s/{word[1]}\n" for word in lines.split())
    assert problems(text.encode()) == expected


def test_a_probe_of_another_session_within_ours_would_go_with_it() -> None:
    text = probe("1").replace("log();\n", probe("7", session="other"))
    assert problems(text.encode()) == [
        (2, "other/7 stands within s/1, which began in line 1"),
        (4, "other/7 stands within s/1, which began in line 1"),
    ]


def test_around_and_between_our_probes_others_may_do_what_they_like() -> None:
    text = "// #region debugloop other/9\n" + probe("1") + "// #region mine\n" + probe("2") + "// #endregion\n"
    assert stripped(text.encode()) == b"// #region debugloop other/9\n// #region mine\n// #endregion\n"


LINES = st.lists(
    st.one_of(
        st.binary(max_size=30).filter(lambda line: b"\n" not in line and b"\r" not in line),
        st.sampled_from([b"", b"\t", "grüße".encode(), b"# #region mine", b"#endregion", b"x = '# #region debugloop'"]),
    ),
    max_size=12,
)
EOL = st.sampled_from([b"\n", b"\r\n", b"\r"])
PROBES = st.tuples(st.integers(0, 12), st.sampled_from(COMMENTS), st.sampled_from([b"", b"log()", b"\xff\0", b"\r"]))


@given(
    lines=LINES,
    eols=st.lists(EOL, min_size=12, max_size=12),
    # a CR of ours before an LF of theirs would make one line end of two
    eol=st.sampled_from([b"\n", b"\r\n"]),
    bom=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    final=st.booleans(),
    probes=st.lists(PROBES, max_size=5),
)
def test_whatever_the_file_what_was_inserted_goes_and_nothing_else(
    lines: list[bytes],
    eols: list[bytes],
    eol: bytes,
    bom: bytes,
    final: bool,
    probes: list[tuple[int, tuple[str, str], bytes]],
) -> None:
    original = [[line, end] for line, end in zip(lines, eols, strict=False)]
    if original and not final:
        original[-1][1] = b""
    whole = bom + b"".join(piece for line in original for piece in line)
    assume(not markers.find(whole) and not whole.startswith((b"\xff\xfe", b"\xfe\xff")))
    assume(final or not whole.endswith(b"\r"))  # nor does a CR of theirs and an LF of ours tell which is whose
    pieces = [list(line) for line in original]
    for number, (at, (opener, closer), inside) in enumerate(sorted(probes, key=lambda probe: -probe[0])):
        begin, end = (text.encode() for text in markers.marker_lines(f"s/{number}", opener, closer))
        pieces.insert(min(at, len(original)), [begin + eol + inside + eol + end, eol])
    if not final and pieces:  # the last line has no line end, whatever it is now, and every other has one
        for piece in pieces[:-1]:
            piece[1] = piece[1] or eol
        pieces[-1][1] = b""
    data = bom + b"".join(piece for line in pieces for piece in line)
    assert stripped(data) == whole
