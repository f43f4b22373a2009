"""Unpacking of gzip and deflate, bounded while it unpacks: 50 KB can hold 50 MB."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from debugloop.ingest.gate import Encoding

_GZIP: Final = 31
_ZLIB: Final = 15
_RAW: Final = -15


class TooLarge(Exception):
    """The unpacked body passes the limit; no more than that was unpacked."""


class BrokenEncoding(Exception):
    """The body is not what its Content-Encoding says. The message says where and why."""


def unpack(data: bytes, encoding: Encoding, limit: int) -> bytes:
    """The body as it was before its content encoding. Raises TooLarge or BrokenEncoding."""
    match encoding:
        case "identity":
            if len(data) > limit:
                raise TooLarge
            return data
        case "gzip":
            return _gzip(data, limit)
        case "deflate":
            # RFC 9110 means zlib's format; some clients send the raw stream (RFC 1951)
            if not data or (data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0):
                return _one(data, _ZLIB, limit, "deflate")
            return _one(data, _RAW, limit, "deflate")


def _one(data: bytes, wbits: int, limit: int, name: str) -> bytes:
    out, rest = _member(data, wbits, limit, name, 0)
    if rest:
        raise BrokenEncoding(f"{name} data goes on after its end at byte {len(data) - len(rest)}")
    return out


def _gzip(data: bytes, limit: int) -> bytes:
    out = b""
    rest = data
    while True:
        # several members are one body (RFC 1952, 2.2); padding with zeros is what tape and block writers leave
        member, rest = _member(rest, _GZIP, limit - len(out), "gzip", len(data) - len(rest))
        out += member
        if not rest.strip(b"\0"):
            return out


def _member(data: bytes, wbits: int, limit: int, name: str, offset: int) -> tuple[bytes, bytes]:
    unpacker = zlib.decompressobj(wbits)
    try:
        out = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        reason = str(error).rpartition(": ")[2]
        raise BrokenEncoding(f"the {name} data from byte {offset} on is broken ({reason})") from error
    if len(out) > limit:
        raise TooLarge
    if not unpacker.eof:
        raise BrokenEncoding(f"the {name} data ends too early, at byte {offset + len(data)}")
    return out, unpacker.unused_data
