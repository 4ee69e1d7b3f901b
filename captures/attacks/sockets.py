"""Attacks on WebSockets: frames of one octet, messages without end, compressed messages that decode to far more than they are."""

import struct
import zlib

from messages import everywhere
from packets import *

UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
COMPRESSED = UPGRADE + "Sec-WebSocket-Extensions: permessage-deflate\r\n"


def opened(connection, fields=UPGRADE):
    connection.send("c", get("/ws", fields))
    connection.send("s", f"HTTP/1.1 101 Switching Protocols\r\n{fields}\r\n".encode())
    return connection


def frame(first, payload):
    """A frame of the server."""
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
    return bytes([first]) + length + payload


def one_octet_frames(capture):
    """Two million messages of one octet, and pings between them."""
    connection = opened(Connection(capture))
    connection.stream("s", (frame(0x81, b"x") * 3 + frame(0x89, b"")) * 500_000)
    connection.close()


def endless_fragments(capture):
    """A message of a million fragments that does not end."""
    connection = opened(Connection(capture), COMPRESSED)
    connection.stream("s", frame(0x41, b"\xaa") + frame(0x00, b"\xaa") * 1_000_000)


def compressed_zeros(capture):
    """A thousand messages that decode to a mebibyte each."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
    connection = opened(Connection(capture), COMPRESSED)
    connection.stream("s", frame(0xC1, piece[:-4]) * 1000)
    connection.close()


def sockets_everywhere(capture):
    """Fifty thousand WebSockets, each in a compressed message that does not end."""
    message = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = message.compress(bytes(range(256)) * 200) + message.flush(zlib.Z_FULL_FLUSH)
    for connection in everywhere(capture, 50_000):
        opened(connection, COMPRESSED).stream("s", frame(0x41, start))


SMALL = []
LARGE = [one_octet_frames, endless_fragments, compressed_zeros, sockets_everywhere]
