from __future__ import annotations

import gzip
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.ingest.gate import Encoding
from debugloop.ingest.unpacking import BrokenEncoding, TooLarge, unpack

LIMIT = 65_536


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@given(st.binary(max_size=2_000))
def test_each_encoding_gives_back_what_was_packed(data: bytes) -> None:
    assert unpack(data, "identity", LIMIT) == data
    assert unpack(gzip.compress(data, mtime=0), "gzip", LIMIT) == data
    assert unpack(zlib.compress(data), "deflate", LIMIT) == data
    assert unpack(raw_deflate(data), "deflate", LIMIT) == data


def test_members_of_one_gzip_body_are_joined_and_padding_is_ignored() -> None:
    body = gzip.compress(b'{"a":1}\n', mtime=0) + gzip.compress(b'{"b":2}\n', mtime=0) + b"\0" * 100
    assert unpack(body, "gzip", LIMIT) == b'{"a":1}\n{"b":2}\n'


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_the_limit_itself_is_accepted_and_one_byte_more_is_not(size: int) -> None:
    data = b"x" * size
    half = len(data) // 2
    packed: dict[Encoding, bytes] = {
        "identity": data,
        "gzip": gzip.compress(data[:half], mtime=0) + gzip.compress(data[half:], mtime=0),
        "deflate": zlib.compress(data),
    }
    for encoding, body in packed.items():
        if size == LIMIT:
            assert unpack(body, encoding, LIMIT) == data
        else:
            with pytest.raises(TooLarge):
                unpack(body, encoding, LIMIT)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_fifty_kilobytes_that_hold_fifty_megabytes_are_not_unpacked(encoding: Encoding) -> None:
    data = b"0" * 50_000_000
    body = gzip.compress(data, mtime=0) if encoding == "gzip" else raw_deflate(data)
    assert len(body) < LIMIT
    del data
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            unpack(body, encoding, LIMIT)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"", "gzip"),
        (b"", "deflate"),
        (b'{"a":1}', "gzip"),
        (b'{"a":1}', "deflate"),
        (gzip.compress(b"hello", mtime=0)[:-1], "gzip"),
        (gzip.compress(b"hello", mtime=0)[:-8] + b"\0" * 8, "gzip"),
        (gzip.compress(b"hello", mtime=0) + b"junk", "gzip"),
        (zlib.compress(b"hello") + b"junk", "deflate"),
        (zlib.compress(b"hello")[:-2], "deflate"),
        (b"\x1f\x8b" + b"\xff" * 30, "gzip"),
    ],
)
def test_broken_data_is_refused_with_its_place(body: bytes, encoding: Encoding) -> None:
    with pytest.raises(BrokenEncoding, match="byte"):
        unpack(body, encoding, LIMIT)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]))
def test_whatever_comes_is_unpacked_or_refused(body: bytes, encoding: Encoding) -> None:
    with suppress(TooLarge, BrokenEncoding):
        assert len(unpack(body, encoding, 1_000)) <= 1_000
