"""Attacks on HTTP/3: floods of streams and frames, tables of fields, and sections that wait for them."""

import random

from quic import *
from streams import prefixed

DATA, HEADERS, SETTINGS, PUSH_PROMISE = 0, 1, 4, 5
END = 1
#: The largest table that is kept, as large as with HTTP/2.
CAPACITY = 65_536
# The numbers of each side's control stream and its stream of instructions.
CONTROL, ENCODER = (2, 3), (6, 7)


def frame(kind, octets=b""):
    return integer(kind) + integer(len(octets)) + octets


def text(first, bits, octets):
    return prefixed(first, bits, len(octets)) + octets


def literal(name, value):
    return text(0x20, 3, name) + text(0, 7, value)


#: GET, https, the path / of the static table (RFC 9204 A), and a host.
REQUEST = b"\xd1\xd7\xc1" + prefixed(0x50, 4, 0) + text(0, 7, b"a.example")
OK = b"\0\0\xd9"
GET = b"\0\0" + REQUEST


def section(inserts, fields):
    """A field section that needs the first `inserts` entries, and counts from their end."""
    return prefixed(0, 8, inserts % (2 * (CAPACITY // 32)) + 1) + b"\0" + fields


def insertion(name, value):
    return text(0x40, 5, name) + text(0, 7, value)


class HTTP3Connection(QUICConnection):
    """A connection whose sides have sent their settings, and allow a large table."""

    def __init__(self, capture, **others):
        super().__init__(capture, **others)
        self.places = {}
        settings = b"\0" + frame(SETTINGS, b"\1" + integer(CAPACITY) + b"\7" + integer(100) + b"\x33\1")
        for side in (CLIENT_SIDE, SERVER_SIDE):
            self.say(side, self.next(side, CONTROL[side], settings))

    def next(self, side, identifier, octets, ends=False):
        """A frame with the next octets of a stream."""
        place = self.places.get((side, identifier), 0)
        self.places[side, identifier] = place + len(octets)
        return stream(identifier, octets, place, ends)

    def write(self, side, identifier, octets, size=1200):
        """Sends octets of a stream in as many packets as they need."""
        for start in range(0, len(octets), size):
            self.say(side, self.next(side, identifier, octets[start:start + size]))

    def set_table(self, side, instructions=b""):
        self.write(side, ENCODER[side], b"\2" + prefixed(0x20, 5, CAPACITY) + instructions)


def http3_streams_without_end(capture):
    """Requests whose streams never end, and requests that stop within their fields."""
    connection = HTTP3Connection(capture)
    for packet in range(50_000):
        frames = b"".join(
            stream(4 * (packet * 20 + index), frame(HEADERS, GET)[:8 if index % 4 == 0 else None]) for index in range(20))
        connection.say(CLIENT_SIDE, frames)


def http3_rapid_reset(capture):
    """Requests that are reset at once."""
    connection = HTTP3Connection(capture)
    request = frame(HEADERS, GET)
    for packet in range(30_000):
        connection.say(CLIENT_SIDE, b"".join(
            stream(identifier, request) + b"\4" + integer(identifier) + b"\0" + integer(len(request))
            for identifier in range(packet * 80, packet * 80 + 80, 4)))


def http3_values_named_again(capture):
    """A field of 16 kB, named by an octet, 1,000 times in each of ten thousand requests: 160 GB of values in 10 MB."""
    connection = HTTP3Connection(capture)
    connection.set_table(CLIENT_SIDE, insertion(b"x", b"v" * 16_000))
    request = frame(HEADERS, section(1, REQUEST + b"\x80" * 1000))
    for index in range(10_000):
        connection.say(CLIENT_SIDE, stream(4 * index, request, ends=True))


def http3_names_repeated(capture):
    """A name of 16 kB, which three octets repeat, 350 times in each of ten thousand requests, and 300 times in entries between them."""
    connection = HTTP3Connection(capture)
    connection.set_table(CLIENT_SIDE, insertion(b"n" * 16_000, b"v"))
    request = frame(HEADERS, section(1, REQUEST + b"\x40\1y" * 350))
    for index in range(10_000):
        connection.say(CLIENT_SIDE, stream(4 * index, request, ends=True))
        connection.write(CLIENT_SIDE, ENCODER[CLIENT_SIDE], b"\x80\1y" * 300)
        request = frame(HEADERS, section(1 + 300 * (index + 1), REQUEST + b"\x40\1y" * 350))


def http3_insertions(capture):
    """Entries in the table without end: small ones, large ones copied by an octet, and each of them in a STREAM frame of its own."""
    connection = HTTP3Connection(capture)
    connection.set_table(CLIENT_SIDE)
    for packet in range(20_000):
        connection.write(CLIENT_SIDE, ENCODER[CLIENT_SIDE], insertion(b"k", b"v") * 200)
        connection.write(CLIENT_SIDE, ENCODER[CLIENT_SIDE], insertion(b"n", b"%04d" % packet * 250) + b"\0" * 150)
        connection.say(CLIENT_SIDE, b"".join(
            connection.next(CLIENT_SIDE, ENCODER[CLIENT_SIDE], b"\0") for _ in range(100)))


def http3_capacities(capture):
    """The table's size goes to nothing and back, again and again, with entries between."""
    connection = HTTP3Connection(capture)
    connection.set_table(CLIENT_SIDE)
    change = insertion(b"k", b"v") * 3 + b"\0" * 3 + b"\x20" + prefixed(0x20, 5, CAPACITY)
    for _ in range(60_000):
        connection.write(CLIENT_SIDE, ENCODER[CLIENT_SIDE], change * 60)


def http3_sections_waiting(capture):
    """As many sections as may wait for entries, while others come octet by octet: each lets one section go on, or none."""
    connection = HTTP3Connection(capture)
    connection.set_table(CLIENT_SIDE)
    for index in range(99):
        connection.say(CLIENT_SIDE, stream(4 * index, frame(HEADERS, section(2000 + index, REQUEST))))
    # One more stream, whose sections behind its request wait for each next entry.
    connection.say(CLIENT_SIDE, connection.next(CLIENT_SIDE, 400, frame(HEADERS, GET)))
    for packet in range(60):
        frames = b""
        for inserted in range(30 * packet + 1, 30 * packet + 31):
            frames += connection.next(CLIENT_SIDE, 400, frame(HEADERS, section(inserted, b"\x80")))
            frames += b"".join(
                connection.next(CLIENT_SIDE, ENCODER[CLIENT_SIDE], bytes([octet])) for octet in insertion(b"k", b"v"))
        connection.say(CLIENT_SIDE, frames)
    for _ in range(20_000):
        connection.say(CLIENT_SIDE, b"".join(
            connection.next(CLIENT_SIDE, ENCODER[CLIENT_SIDE], b"\x20") for _ in range(140)))


def http3_content_waiting(capture):
    """Content behind sections that wait for entries which never come."""
    connection = HTTP3Connection(capture)
    for index in range(100_000):
        octets = frame(HEADERS, section(1 + index % 1000, REQUEST + b"\x80" * 100)) + frame(DATA, b"x" * 900)
        connection.say(CLIENT_SIDE, stream(4 * index, octets, ends=index % 2 == 0))


def http3_frames_unknown(capture):
    """Frames of types that nobody knows, of an octet each and in pieces of an octet, on a request's stream and the control stream."""
    connection = HTTP3Connection(capture)
    connection.say(CLIENT_SIDE, connection.next(CLIENT_SIDE, 0, frame(HEADERS, GET)))
    unknown = frame(0x21, b"x")
    for packet in range(60_000):
        identifier = (0, CONTROL[CLIENT_SIDE])[packet & 1]
        connection.write(CLIENT_SIDE, identifier, unknown * 300)
        connection.say(CLIENT_SIDE, b"".join(
            connection.next(CLIENT_SIDE, identifier, bytes([octet])) for octet in unknown * 50))


def http3_frames_empty(capture):
    """Frames of content without any, of fields without any, and of settings."""
    connection = HTTP3Connection(capture)
    connection.say(CLIENT_SIDE, connection.next(CLIENT_SIDE, 0, frame(HEADERS, GET)))
    for _ in range(20_000):
        connection.write(CLIENT_SIDE, 0, frame(DATA) * 600)
        connection.write(CLIENT_SIDE, CONTROL[CLIENT_SIDE], (frame(SETTINGS) + frame(0xF0700, b"\0u=1")) * 100)
    for _ in range(20_000):
        connection.write(CLIENT_SIDE, 0, frame(HEADERS, b"\0\0") * 300)


def http3_streams_of_unknown_types(capture):
    """Unidirectional streams of both sides without end, most of them of types that nobody knows."""
    connection = HTTP3Connection(capture)
    for packet in range(60_000):
        connection.say(packet & 1, b"".join(
            stream(4 * (packet * 50 + index) + 10 + (packet & 1), b"\x21x" if index % 8 else b"") for index in range(50)))


def http3_pushes(capture):
    """Push streams that wait for their promises, promises again and again, and promises without streams."""
    connection = HTTP3Connection(capture)
    connection.say(CLIENT_SIDE, stream(0, frame(HEADERS, GET), ends=True))
    connection.say(SERVER_SIDE, connection.next(SERVER_SIDE, 0, frame(HEADERS, OK)))
    connection.say(SERVER_SIDE, b"".join(stream(4 * index + 11, b"\1" + integer(1 << 20 | index)) for index in range(99)))
    for packet in range(10_000):
        again = frame(PUSH_PROMISE, integer(7) + GET) * 20
        new = b"".join(frame(PUSH_PROMISE, integer(100 + packet * 20 + index) + GET) for index in range(20))
        connection.write(SERVER_SIDE, 0, again + new)


def tunnel(connection, protocol=b"connect-udp"):
    fields = [(b":method", b"CONNECT"), (b":protocol", protocol), (b":scheme", b"https"), (b":authority", b"a.example"),
              (b":path", b"/m"), (b"capsule-protocol", b"?1")]
    request = b"\0\0" + b"".join(literal(*field) for field in fields)
    connection.say(CLIENT_SIDE, connection.next(CLIENT_SIDE, 0, frame(HEADERS, request)))
    connection.say(SERVER_SIDE, connection.next(SERVER_SIDE, 0, frame(HEADERS, OK)))


def http3_datagrams(capture):
    """Datagrams of a tunnel, of streams that are not there, and of none, an octet or two each."""
    connection = HTTP3Connection(capture)
    tunnel(connection)
    octets = b"\x31\3\0ab" + b"\x31\3" + integer(50) + b"ab" + b"\x31\0"
    for packet in range(100_000):
        connection.say(packet & 1, octets * 90)


def http3_capsules(capture):
    """Capsules without content in a tunnel, in frames of content that have one each."""
    connection = HTTP3Connection(capture)
    tunnel(connection)
    for packet in range(60_000):
        connection.write(packet & 1, 0, frame(DATA, b"\0\0") * 250)


def http3_frames_behind_gaps(capture):
    """Content of which nothing but headers of frames is left, with a hole in front of each part."""
    connection = HTTP3Connection(capture)
    parts = (b"\0\1" * 500, bytes(1000), frame(DATA, b"x" * 60) * 14, b"\0\0\1\1" * 250)
    for index in range(20_000):
        identifier = 4 * (index // 100)
        if index % 100 == 0:
            connection.say(CLIENT_SIDE, stream(identifier, frame(HEADERS, GET), ends=True))
            connection.say(SERVER_SIDE, connection.next(SERVER_SIDE, identifier, frame(HEADERS, OK)))
        # Five octets are missing.
        connection.places[SERVER_SIDE, identifier] += 5
        for _ in range(4):
            connection.say(SERVER_SIDE, connection.next(
                SERVER_SIDE, identifier, parts[index // 100 % 4], ends=index % 100 == 99))


def http3_tables_everywhere(capture):
    """Full tables of fields, and content that waits for further ones, in very many connections."""
    entries = b"".join(insertion(b"n%02d" % index, b"v" * 1000) for index in range(60))
    waiting = frame(HEADERS, section(100, REQUEST)) + frame(DATA, b"x" * 900)
    for index in range(2000):
        connection = HTTP3Connection(capture, number=index, port=10_000 + index)
        connection.set_table(CLIENT_SIDE, entries)
        for identifier in range(0, 80, 4):
            connection.say(CLIENT_SIDE, stream(identifier, waiting))


def http3_requests_everywhere(capture):
    """Open requests, and octets of them behind gaps, in as many connections as there may be."""
    request = frame(HEADERS, GET) + frame(DATA, b"x" * 40)
    for index in range(20_000):
        connection = HTTP3Connection(capture, number=index, port=10_000 + index)
        connection.say(CLIENT_SIDE, b"".join(stream(4 * place, request) for place in range(15)))
        connection.say(CLIENT_SIDE, b"".join(stream(4 * place, b"y" * 50, 1000) for place in range(15)))


SMALL = []
LARGE = [
    http3_streams_without_end, http3_rapid_reset, http3_values_named_again, http3_names_repeated, http3_insertions,
    http3_capacities, http3_sections_waiting, http3_content_waiting, http3_frames_unknown, http3_frames_empty,
    http3_streams_of_unknown_types, http3_pushes, http3_datagrams, http3_capsules, http3_frames_behind_gaps,
    http3_tables_everywhere, http3_requests_everywhere,
]
