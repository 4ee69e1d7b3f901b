"""Attacks on HTTP/1: framing that two readers understand differently, and messages without end."""

import gzip
import zlib

from coded import *
from packets import *
from quine import quine


def dialogue(capture, request, response=b"", port=40000):
    connection = Connection(capture, port)
    connection.stream("c", request)
    connection.stream("s", response)
    connection.close()


def smuggle(head, body):
    """A request whose body hides another."""
    return b"POST /outer HTTP/1.1\r\nHost: a.example\r\n" + head + b"\r\n" + body


HIDDEN = get("/hidden")


def smuggling_cl_te(capture):
    body = b"0\r\n\r\n" + HIDDEN
    head = f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked\r\n".encode()
    dialogue(capture, smuggle(head, body), ok() + ok())


def smuggling_te_cl(capture):
    body = f"{len(HIDDEN):x}\r\n".encode() + HIDDEN + b"\r\n0\r\n\r\n"
    dialogue(capture, smuggle(b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", body), ok())


def smuggling_te_te(capture):
    body = b"0\r\n\r\n" + HIDDEN
    head = b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\nContent-Length: 4\r\n"
    dialogue(capture, smuggle(head, body), ok())


def smuggling_cl_cl(capture):
    dialogue(capture, smuggle(b"Content-Length: 5\r\nContent-Length: 6\r\n", b"abcdef" + HIDDEN), ok())


def smuggling_cl_list(capture):
    dialogue(capture, smuggle(b"Content-Length: 5, 5\r\n", b"abcde" + HIDDEN), ok() + ok())


def smuggling_cl_sign(capture):
    dialogue(capture, smuggle(b"Content-Length: +5\r\n", b"abcde" + HIDDEN), ok())


def smuggling_space_colon(capture):
    body = b"0\r\n\r\n" + HIDDEN
    dialogue(capture, smuggle(b"Transfer-Encoding : chunked\r\n", body), ok() + ok())


def smuggling_fold(capture):
    body = b"0\r\n\r\n" + HIDDEN
    dialogue(capture, smuggle(b"Transfer-Encoding:\r\n chunked\r\n", body), ok() + ok())


def smuggling_bare_lf(capture):
    dialogue(capture, b"GET /outer HTTP/1.1\nHost: a.example\n\n" + HIDDEN, ok() + ok())


def smuggling_http10_te(capture):
    body = b"0\r\n\r\n" + HIDDEN
    request = b"POST /outer HTTP/1.0\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    dialogue(capture, request, ok() + ok())


def two_hosts(capture):
    dialogue(capture, get("/outer", "Host: b.example\r\n"), ok())


def chunk_extension(capture):
    body = b"5;" + b"x" * 9000 + b"\r\nhello\r\n0\r\n\r\n"
    dialogue(capture, smuggle(b"Transfer-Encoding: chunked\r\n", body) + HIDDEN, ok() + ok())


def chunk_size_overflow(capture):
    body = b"FFFFFFFFFFFFFFFFF0\r\nhello"
    dialogue(capture, smuggle(b"Transfer-Encoding: chunked\r\n", body), ok())


def codings_stacked(capture):
    body = b"layers of it"
    for _ in range(4):
        body = gzip.compress(body, mtime=0)
    dialogue(capture, get("/four"), ok(body, "Content-Encoding: gzip, gzip, gzip, gzip\r\n"))


def codings_too_many(capture):
    body = b"layers of it"
    for _ in range(5):
        body = gzip.compress(body, mtime=0)
    dialogue(capture, get("/five"), ok(body, "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n"))


def zeros(length):
    """`length` octets 0 as a gzip member, made of one piece that is repeated."""
    piece = 1 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    total = 0
    for _ in range(length // piece):
        total = zlib.crc32(bytes(piece), total)
    body = start + block * (length // piece - 1) + b"\x03\x00"
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + body + struct.pack("<II", total, length % 2**32)


def codings_multiplied(capture):
    """2 GiB of zeros in four layers of gzip, five times: 1,500 octets for 10 GiB."""
    body = zeros(2 << 30)
    for _ in range(3):
        body = gzip.compress(body, mtime=0)
    connection = Connection(capture)
    for number in range(5):
        connection.send("c", get(f"/{number}"))
        connection.send("s", ok(body, "Content-Encoding: gzip, gzip, gzip, gzip\r\n"))
    connection.close()


def brotli_bomb(capture):
    """16 GiB of zeros in 13 KB."""
    dialogue(capture, get("/bomb"), ok(brotli_zeros(1024), "Content-Encoding: br\r\n"))


def brotli_bombs(capture):
    """Sixteen million zeros in 16 octets, as many messages as there are in a packet, and many such packets."""
    connection = Connection(capture)
    response = ok(brotli_zeros(1), "Content-Encoding: br\r\n")
    for _ in range(20):
        connection.send("c", get() * 16)
        connection.send("s", response * 16)
    connection.close()


def zstandard_bomb(capture):
    """1 GiB of zeros in 32 KiB."""
    dialogue(capture, get("/bomb"), ok(zstandard_zeros(8192), "Content-Encoding: zstd\r\n"))


def long_windows(capture):
    """Five messages at once, each with a window of 128 MiB (`zstd --long=27`), and one that asks for more."""
    body = zstandard_raw(b"some text", 27)
    connections = [Connection(capture, 40000 + number) for number in range(6)]
    for connection in connections[:5]:
        connection.send("c", get("/long"))
        connection.send("s", ok(body[:-1], "Content-Encoding: zstd\r\n", length=len(body)))
    for connection in connections[:5]:
        connection.send("s", body[-1:])
    connections[5].send("c", get("/longer"))
    connections[5].send("s", ok(zstandard_raw(b"some text", 31), "Content-Encoding: zstd\r\n"))
    for connection in connections:
        connection.close()


def long_windows_filled(capture):
    """A hundred messages at once with windows of 128 MiB, to which as much is written as the ratio allows; none ends."""
    body = zstandard_raw(bytes(range(256)) * 512, 27, ends=False) + zstandard_zeros(1000)[6:]
    for number in range(100):
        connection = Connection(capture, 40000 + number)
        connection.send("c", get())
        # So short that none of them makes more than one packet may.
        connection.stream("s", ok(body, "Content-Encoding: zstd\r\n", length=2 * len(body)), size=700)


def bombs_behind_a_hole(capture):
    """4 GiB of zeros in 126 messages, no two of them the same, all of which one packet completes: the one captured last."""
    body = zeros(31 << 20)
    bodies = [body[:4] + struct.pack("<I", number) + body[8:] for number in range(126)]
    connection = Connection(capture)
    connection.stream("c", get() * 127)
    start, first = connection.next["s"], ok()
    connection.next["s"] += len(first)
    # Nothing is acknowledged, so that the hole stays open.
    connection.stream(
        "s", b"".join(ok(body, "Content-Encoding: gzip\r\n") for body in bodies), acknowledge_each=len(bodies) << 20)
    connection.inject("s", first, at=start - connection.next["s"])
    connection.close()


def brotli_bombs_everywhere(capture):
    """Sixty thousand messages, each whole in 60 octets, that ask for 4 MiB; each second one breaks the rules at its end."""
    good = brotli_zeros(1, window_bits=22)
    bodies = [good, good[:-1] + b"\xff"]
    connection = Connection(capture)
    for _ in range(3000):
        connection.send("c", get() * 20)
        connection.stream("s", b"".join(ok(bodies[number % 2], "Content-Encoding: br\r\n") for number in range(20)))


def bomb(capture):
    """10 GiB of zeros in some 10 MB."""
    dialogue(capture, get("/bomb"), ok(zeros(10 << 30), "Content-Encoding: gzip\r\n"))


def bomb_in_bomb(capture):
    """The same once more compressed: some tens of KB."""
    body = gzip.compress(zeros(10 << 30), mtime=0)
    dialogue(capture, get("/bomb"), ok(body, "Content-Encoding: gzip, gzip\r\n"))


def quine_stacked(capture):
    """A gzip file that decompresses to itself, as often as a message may name its coding."""
    dialogue(capture, get("/quine"), ok(quine(), "Content-Encoding: gzip, gzip, gzip, gzip\r\n"))


def quine_too_often(capture):
    dialogue(capture, get("/quine"), ok(quine(), "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n"))


def pipelined(capture):
    connection = Connection(capture)
    connection.stream("c", b"".join(get(f"/{number}") for number in range(100_000)))
    connection.stream("s", ok() * 100_000)
    connection.close()


def pipelined_unanswered(capture):
    """Ten connections with more requests than may wait for an answer."""
    for number in range(10):
        connection = Connection(capture, 40000 + number)
        connection.stream("c", get() * 140_000)


def pipelined_beyond(capture):
    """More requests than may wait, and then an answer to each: none may be looked for in the whole queue."""
    connection = Connection(capture)
    connection.stream("c", get() * 140_000)
    connection.stream("s", ok() * 140_000)
    connection.close()


def interims(capture, length, count, requests=1):
    """Requests whose long paths are repeated in the row of each of many interim responses."""
    connection = Connection(capture)
    for number in range(requests):
        connection.stream("c", get(f"/{number:0{length - 1}}"))
        connection.stream("s", b"HTTP/1.1 103 Early Hints\r\n\r\n" * count + ok())
    connection.close()


def interims_long_path(capture):
    interims(capture, 1000, 500)


def interims_longest_paths(capture):
    interims(capture, 60_000, 250_000, requests=4)


def interims_hidden(capture):
    """The same with hosts that are no addresses: --redact looks through both, and hashes them."""
    connection = Connection(capture)
    for number in range(4):
        connection.stream("c", f"GET /{number}/{'0' * 60_000} HTTP/1.1\r\nHost: {'1.' * 30_000}\r\n\r\n".encode())
        connection.stream("s", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100_000 + ok())
    connection.close()


def endless_header(capture):
    connection = Connection(capture)
    connection.stream("c", get("/", "X: y\r\n" * 4_000_000)[:-2])


def endless_field(capture):
    connection = Connection(capture)
    connection.stream("c", b"GET / HTTP/1.1\r\nHost: a.example\r\nX: " + b"y" * 32_000_000)


def endless_start_line(capture):
    connection = Connection(capture)
    connection.stream("c", b"GET /" + b"y" * 32_000_000)


def endless_folds(capture):
    """A long field name, folded again and again."""
    connection = Connection(capture)
    connection.stream("c", b"GET / HTTP/1.1\r\n" + b"n" * 65000 + b": v\r\n" + b" \r\n" * 4_000_000)


def endless_codings(capture):
    """One list in a million lines."""
    connection = Connection(capture)
    connection.stream("c", b"GET / HTTP/1.1\r\n" + b"content-encoding: x\r\n" * 1_000_000)


def chunk_size_digits(capture):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    dialogue(capture, get(), head + b"0" * 8_000_000)


def one_octet_chunks(capture):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    dialogue(capture, get(), head + b"1\r\nx\r\n" * 4_000_000 + b"0\r\n\r\n")


def many_apis(capture):
    """More paths than there are places for."""
    connection = Connection(capture)
    for number in range(1_200_000):
        connection.send("c", get(f"/{number:064}"))
        connection.send("s", ok(b""))


def unfinished_lines(capture):
    """A thousand connections, each with a line of 64 KiB that does not end."""
    for number in range(1000):
        connection = Connection(capture, 10000 + number)
        connection.stream("c", b"GET / HTTP/1.1\r\nX: " + b"y" * 66_000)


def everywhere(capture, count):
    """So many connections, from several addresses."""
    for number in range(count):
        yield Connection(capture, 2000 + number % 50_000, client=f"192.0.2.{1 + number // 50_000}")


def lines_everywhere(capture):
    """A hundred thousand connections, each with a line that does not end."""
    line = b"GET / HTTP/1.1\r\nX: " + b"y" * 4000
    for connection in everywhere(capture, 131_072):
        connection.stream("c", line)


def messages_everywhere(capture):
    """Forty thousand connections, each with 32 exchanges that are over, but may be retransmitted."""
    requests = b"".join(get(f"/{number}") for number in range(32))
    responses = ok() * 32
    for connection in everywhere(capture, 40_000):
        connection.stream("c", requests)
        connection.stream("s", responses)


def requests_everywhere(capture):
    """As many as are followed, each with a request that is never answered."""
    for connection in everywhere(capture, 524_288):
        connection.send("c", get())


def targets_everywhere(capture):
    """Five thousand long targets, all different, that are never answered."""
    for number, connection in enumerate(everywhere(capture, 5000)):
        connection.stream("c", get(f"/{number:060000}"))


def targets_answered(capture):
    """Four thousand long targets, all different and each answered, so that each is an API's."""
    connection = Connection(capture)
    for number in range(4000):
        connection.stream("c", get(f"/{number:060000}"))
        connection.send("s", ok())


def hosts(capture):
    """Three hundred thousand hosts with names as long as they may be, and as many paths without a host."""
    connection = Connection(capture)
    for number in range(300_000):
        name = f"{number:063}.{'h' * 63}.{'h' * 63}.example"
        connection.send("c", f"GET / HTTP/1.1\r\nHost: {name}\r\n\r\nGET /{number} HTTP/1.0\r\n\r\n".encode())
        connection.send("s", ok() * 2)


def answers_behind_holes(capture):
    """A hundred thousand pipelined requests, each answered behind a hole that nothing fills."""
    connection = Connection(capture)
    connection.stream("c", b"".join(get(f"/{number % 100}") for number in range(100_000)))
    for _ in range(100_000):
        connection.next["s"] += 100
        connection.send("s", ok())


def requests_behind_holes(capture):
    """The same the other way round: a hole before each request, and all are answered one after another."""
    connection = Connection(capture)
    for number in range(100_000):
        connection.next["c"] += 100
        connection.send("c", get(f"/{number % 100}"))
    connection.stream("s", ok() * 100_000)


def holes_everywhere(capture):
    """Very many connections with pipelined requests, of whose responses the first is lost."""
    response = ok()
    for connection in everywhere(capture, 200_000):
        connection.send("c", get("/1") + get("/2") + get("/3"))
        connection.next["s"] += len(response)
        connection.send("s", response)


def decoders_everywhere(capture):
    """Fifty thousand compressed responses of which the end never comes."""
    body = gzip.compress(bytes(range(256)) * 300, mtime=0)
    response = ok(body[:-1], "Content-Encoding: gzip\r\n", length=len(body))
    for connection in everywhere(capture, 50_000):
        connection.send("c", get())
        connection.stream("s", response)


SMALL = [
    smuggling_cl_te, smuggling_te_cl, smuggling_te_te, smuggling_cl_cl, smuggling_cl_list, smuggling_cl_sign,
    smuggling_space_colon, smuggling_fold, smuggling_bare_lf, smuggling_http10_te, two_hosts, chunk_extension,
    chunk_size_overflow, codings_stacked, codings_too_many, quine_stacked, quine_too_often, codings_multiplied,
    brotli_bomb, brotli_bombs, zstandard_bomb, long_windows, interims_long_path,
]
LARGE = [
    bomb, bomb_in_bomb, brotli_bombs_everywhere, bombs_behind_a_hole, long_windows_filled, interims_longest_paths,
    interims_hidden, pipelined, pipelined_unanswered, pipelined_beyond, endless_header, endless_field, endless_start_line,
    endless_folds, endless_codings, chunk_size_digits, one_octet_chunks, many_apis, unfinished_lines,
    lines_everywhere, messages_everywhere, requests_everywhere, targets_everywhere, targets_answered, hosts,
    answers_behind_holes, requests_behind_holes, holes_everywhere, decoders_everywhere,
]
