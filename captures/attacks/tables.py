"""Attacks on the tables that a report's other files are made of: fields, contents, hosts, groups, intervals, templates."""

import random
import struct

from messages import everywhere
from packets import *
from streams import END_HEADERS, END_STREAM, HEADERS, PREFACE, REQUEST, SETTINGS, frame, literal, prefixed


def answered(capture, exchanges):
    """Requests and their responses, one exchange after another on one connection."""
    connection = Connection(capture)
    for request, response in exchanges:
        connection.stream("c", request)
        connection.stream("s", response)


def fields_invented(capture):
    """A million names of fields, 20 in each request of one API."""
    names = [f"x-{number:06}: y\r\n" for number in range(1_000_000)]
    answered(capture, ((get("/", "".join(names[start:start + 20])), ok()) for start in range(0, 1_000_000, 20)))


def fields_shuffled(capture):
    """Two hundred and fifty fields in another order in each request: none is where it was."""
    draw = random.Random(1)
    fields = [f"{number:03}: {number}\r\n" for number in range(250)]

    def exchanges():
        for _ in range(20_000):
            draw.shuffle(fields)
            yield get("/", "".join(fields)), ok()

    answered(capture, exchanges())


def fields_unknown_everywhere(capture):
    """Other 250 fields in each request than the 256 that the API has, all of them names that are known."""
    pages = [
        "".join(f"{number:03x}: y\r\n" for number in range(start, start + 250)) for start in range(0, 4000, 250)
    ]
    answered(capture, ((get("/", pages[number % len(pages)]), ok()) for number in range(20_000)))


def fields_of_many_apis(capture):
    """Ten fields of each of 200,000 APIs."""
    fields = "".join(f"x-{number}: y\r\n" for number in range(10))
    answered(capture, ((get(f"/{number}", fields), ok()) for number in range(200_000)))


def fields_remembered(capture):
    """Ten thousand open connections, each with 30 APIs whose last fields are remembered."""
    fields = "".join(f"x-{number}: y\r\n" for number in range(10))
    requests = b"".join(get(f"/{number}", fields) for number in range(30))
    for connection in everywhere(capture, 10_000):
        connection.stream("c", requests)
        connection.stream("s", ok() * 30)


def fields_long(capture):
    """Fields of 60 kB, no two of them the same."""
    answered(capture, ((get("/", f"x: {number:060000}\r\n"), ok()) for number in range(2000)))


def flood2(capture, frames):
    """Frames of a client, which allows a large table, and is allowed one."""
    connection = Connection(capture)
    settings = frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 65_536))
    connection.stream("c", PREFACE + settings)
    connection.stream("s", settings + frame(SETTINGS, 1))
    connection.stream("c", frame(SETTINGS, 1) + frames)


#: Allows a table of 64 KiB from here on (RFC 7541 6.3).
TABLE_64K = b"\x3f\xe1\xff\x03"


def http2_values_named_again(capture):
    """One field of 16 kB, named by an octet, 250 times in each of ten thousand requests: 40 GB of values in 2.8 MB."""
    first = TABLE_64K + REQUEST + literal(b"x", b"v" * 16_000, is_indexed=True)
    flood2(capture, split(first) + b"".join(
        frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST + b"\xbe" * 250) for stream in range(3, 20_003, 2)))


def http2_names_repeated(capture):
    """A name of 16 kB, which three octets repeat in a new entry of the table, 250 times in each of a thousand requests."""
    first = TABLE_64K + REQUEST + literal(b"n" * 16_000, b"v", is_indexed=True)
    # The newest entry's name, with the value `y`.
    flood2(capture, split(first) + b"".join(
        frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST + b"\x7e\x01y" * 250) for stream in range(3, 2003, 2)))


def http2_codings_named_again(capture):
    """A list of content codings of 16 kB, named by an octet, 250 times in each of a thousand requests."""
    first = TABLE_64K + REQUEST + literal(b"content-encoding", b"v" * 16_000, is_indexed=True)
    flood2(capture, split(first) + b"".join(
        frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST + b"\xbe" * 250) for stream in range(3, 2003, 2)))


def http2_paths_named_again(capture):
    """A path of 16 kB, named by an octet in each of a hundred thousand requests: 1.6 GB of paths in 1.2 MB."""
    first = TABLE_64K + b"\x82\x86" + literal(b":path", b"/" + b"p" * 16_000, is_indexed=True)
    flood2(capture, split(first) + b"".join(
        frame(HEADERS, END_STREAM | END_HEADERS, stream, b"\x82\x86\xbe") for stream in range(3, 200_003, 2)))


def split(block):
    """A request's field block, which is too long for one frame."""
    pieces = [block[start:start + 16_000] for start in range(0, len(block), 16_000)]
    frames = frame(HEADERS, END_STREAM | (END_HEADERS if len(pieces) == 1 else 0), 1, pieces[0])
    for number, piece in enumerate(pieces[1:], 2):
        frames += frame(9, END_HEADERS if number == len(pieces) else 0, 1, piece)
    return frames


def http2_fields_shuffled(capture):
    """Two hundred fields of the table in another order in each request, an octet or two each."""
    draw = random.Random(2)
    first = TABLE_64K + REQUEST + b"".join(literal(f"{number:03}".encode(), b"y", is_indexed=True) for number in range(200))
    # The 200 of the dynamic table have the numbers 62 to 261.
    names = [prefixed(0x80, 7, number) for number in range(62, 262)]

    def requests():
        for stream in range(3, 60_003, 2):
            draw.shuffle(names)
            yield frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST + b"".join(names))

    flood2(capture, split(first) + b"".join(requests()))


def contents_dear(capture):
    """Contents without coding that gzip has to look at longest, 16 samples of 32 KiB of each API: its matches are many, and all short."""
    draw = random.Random(3)
    # Two octets make long chains of candidates; each match ends soon.
    pool = bytes(draw.choice(b"ab") for _ in range(1 << 20))
    exchanges = (
        (get(f"/{number // 16}"), ok(pool[number * 1000:number * 1000 + 32_768])) for number in range(1000)
    )
    answered(capture, exchanges)


def contents_known(capture):
    """Three hundred thousand contents, all different, of as many targets of one API."""
    answered(capture, ((get(f"/?{number}"), ok(b"%07d" % number)) for number in range(300_000)))


def contents_of_many_apis(capture):
    """Contents of 100,000 APIs in both directions."""
    def post(number):
        return f"POST /{number} HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello".encode()

    answered(capture, ((post(number), ok()) for number in range(100_000)))


def contents_waiting(capture):
    """Contents of 30 kB without coding, each of which lacks its last octets, in a thousand connections."""
    for number, connection in enumerate(everywhere(capture, 1000)):
        connection.send("c", get())
        connection.stream("s", ok(bytes([number & 255]) * 30_000, length=30_005))


def century(capture):
    """Packets of a hundred years, no two of which are near each other."""
    draw = random.Random(4)
    connection = Connection(capture)
    for _ in range(300_000):
        capture.time = draw.randrange(3_200_000_000) * 10**6
        connection.send("c", get())
        connection.send("s", ok())


def moments(capture):
    """Packets that go back and forth between the years: each is in another interval than the one before."""
    connection = Connection(capture)
    for number in range(100_000):
        capture.time = (1_000_000_000 + number % 2 * 1_000_000_000 + number) * 10**6
        connection.send("c", get())
        connection.send("s", ok())


def intervals(capture):
    """Two hundred thousand intervals, each a second long, of which none has more than a packet."""
    connection = Connection(capture)
    for _ in range(100_000):
        connection.send("c", get(), step=1_000_000)
        connection.send("s", ok(), step=1_000_000)


def segments_endless(capture):
    """Paths of 30,000 segments of one letter each, no two paths the same."""
    draw = random.Random(5)

    def path():
        return "".join("/" + draw.choice("abcdefgh") for _ in range(30_000))

    answered(capture, ((get(path()), ok()) for _ in range(1000)))


def segments_empty(capture):
    """Paths of 60,000 slashes."""
    answered(capture, ((get("/" * 60_000), ok()) for _ in range(1000)))


def segments_many(capture):
    """Half a million values of one segment, and others below each of them."""
    letters = "bcdfghjklmnpqrstvwxz"

    def word(number):
        text = ""
        for _ in range(5):
            number, rest = divmod(number, 20)
            text += letters[rest]
        return text

    answered(capture, (
        (get(f"/{word(number)}/{word(number % 1000)}/{word(number // 1000)}"), ok()) for number in range(500_000)))


def groups(capture):
    """Two hundred thousand clients and servers, media types, statuses, methods and domains, some of them long."""
    for number in range(200_000):
        client = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        server = f"11.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        connection = Connection(capture, 40000, client=client, server=server)
        name = f"{number:06}" + "n" * (number % 50)
        connection.send("c", f"M{name.upper()[:28]} / HTTP/1.1\r\nHost: {name}.example\r\n\r\n".encode())
        connection.send("s", f"HTTP/1.1 {100 + number % 900 if number % 9 else 200} OK\r\n"
                             f"Content-Type: a/{name * (1 if number % 100 else 20)}\r\nContent-Length: 0\r\n\r\n".encode())


def names_escaped(capture):
    """APIs whose names are made of what JSON and HTML write longest."""
    path = b"\x81\x82<>&\"'\\" * 28

    def exchanges():
        for number in range(140_000):
            yield b"GET /%06d%s HTTP/1.1\r\nHost: a.example\r\n\r\n" % (number, path), ok()

    answered(capture, exchanges())


SMALL = []
LARGE = [
    fields_invented, fields_shuffled, fields_unknown_everywhere, fields_of_many_apis, fields_remembered, fields_long,
    http2_values_named_again, http2_names_repeated, http2_codings_named_again,
    http2_paths_named_again, http2_fields_shuffled, contents_dear, contents_known,
    contents_of_many_apis, contents_waiting, century, moments, intervals, segments_endless, segments_empty, segments_many,
    groups, names_escaped,
]
