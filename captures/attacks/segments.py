"""Attacks on TCP: who reads what when segments contradict one another."""

from packets import *


def exchange(capture, inject, request=get("/real"), response=ok(b"real!")):
    """A connection with something injected between request and response."""
    connection = Connection(capture)
    connection.send("c", request)
    inject(connection)
    connection.send("s", response)
    connection.send("c")
    connection.close()


def overlap_same(capture):
    connection = Connection(capture)
    request = get("/real")
    connection.inject("c", request[:20])
    connection.inject("c", request[10:30], at=10)
    connection.inject("c", request[5:], at=5)
    connection.next["c"] += len(request)
    connection.send("s", ok())
    connection.close()


def overlap_first_wins(capture):
    """What came first and in order was delivered; what differs later is not."""
    connection = Connection(capture)
    connection.send("c", get("/first"))
    forged = get("/other")
    connection.inject("c", forged, at=-len(forged))
    connection.send("s", ok())
    connection.close()


def overlap_held(capture, start):
    """Behind a hole, one range in two versions: systems differ in which they keep, here it is the first captured."""
    connection = Connection(capture)
    request = get("/AAAAAAAA")
    forged = get("/BBBBBBBB")
    connection.inject("c", request[7:11], at=7)
    connection.inject("c", forged[start:start + 4], at=start)
    connection.inject("c", request[:5])
    connection.inject("c", request[5:], at=5)
    connection.next["c"] += len(request)
    connection.send("s", ok())
    connection.close()


def overlap_held_before(capture):
    overlap_held(capture, 5)


def overlap_held_same(capture):
    overlap_held(capture, 7)


def overlap_held_after(capture):
    overlap_held(capture, 9)


def ttl_insertion(capture):
    """A segment that dies on the way to the server reaches the capture, and so it wins."""
    connection = Connection(capture)
    forged, real = get("/decoy"), get("/truth")
    connection.inject("c", forged, ttl=1)
    connection.send("c", real)
    connection.send("s", ok())
    connection.close()


def bad_checksum_insertion(capture):
    connection = Connection(capture)
    forged, real = get("/decoy"), get("/truth")
    connection.inject("c", forged, is_bad=True)
    connection.send("c", real)
    connection.send("s", ok())
    connection.close()


def reset_in_window(capture):
    """Nobody can tell it from the server's own: what the server sends after it is refused."""
    exchange(capture, lambda connection: connection.inject("s", flags=RST | ACK))


def reset_out_of_window(capture):
    exchange(capture, lambda connection: connection.inject("s", flags=RST | ACK, at=-400000))


def reset_bad_checksum(capture):
    exchange(capture, lambda connection: connection.inject("s", flags=RST | ACK, is_bad=True))


def syn_in_connection(capture):
    exchange(capture, lambda connection: connection.inject("c", flags=SYN, at=70000))


def fin_far_ahead(capture):
    exchange(capture, lambda connection: connection.inject("s", flags=FIN | ACK, at=2**30 + 2**24))


def injected_response(capture):
    """A faster liar answers first; the true answer follows at the same place."""
    connection = Connection(capture)
    connection.send("c", get("/page"))
    connection.inject("s", ok(b"LIES!"))
    connection.send("s", ok(b"truth"))
    connection.send("c")
    connection.close()


def tiny_segments(capture):
    connection = Connection(capture)
    connection.stream("c", get("/tiny"), size=1)
    connection.stream("s", ok(b"x" * 500), size=1)
    connection.close()


def tiny_segments_backwards(capture):
    connection = Connection(capture)
    request = get("/tiny")
    for place in reversed(range(len(request))):
        connection.inject("c", request[place:place + 1], at=place)
    connection.next["c"] += len(request)
    connection.send("s", ok())
    connection.close()


def sequence_wrap(capture):
    connection = Connection(capture, start=2**32 - 30)
    connection.send("c", get("/wrap"))
    connection.send("s", ok())
    connection.send("c", get("/after"))
    connection.send("s", ok())
    connection.close()


def syn_flood(capture):
    """A million distinct tuples, never answered."""
    for number in range(1_000_000):
        source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        ports = (1024 + number % 60000, 80)
        capture.write(ipv4(source, SERVER, 6, tcp(source, SERVER, ports, number, 0, SYN)))


def tuple_grid(capture):
    """Addresses and ports that a weak hash would put into few places of a table."""
    for number in range(300_000):
        source = f"10.{number & 255}.0.{number >> 8 & 255}"
        ports = (1 << 15 | number >> 16 << 8, 80)
        capture.write(ipv4(source, SERVER, 6, tcp(source, SERVER, ports, 0, 0, SYN)))


def tiny_segments_held(capture):
    """A million one-octet segments behind a hole that is never filled, backwards."""
    connection = Connection(capture)
    for place in range(1_000_000, 0, -1):
        connection.inject("c", b"x", at=place)


def crumbs_everywhere(capture):
    """Segments of one octet behind holes, on four hundred connections."""
    for number in range(400):
        connection = Connection(capture, 10000 + number)
        for place in range(1, 8000, 2):
            connection.inject("c", b"y", at=place)


SMALL = [
    overlap_same, overlap_first_wins, overlap_held_before, overlap_held_same, overlap_held_after, ttl_insertion,
    bad_checksum_insertion, reset_in_window, reset_out_of_window, reset_bad_checksum, syn_in_connection, fin_far_ahead,
    injected_response, tiny_segments, tiny_segments_backwards, sequence_wrap,
]
LARGE = [syn_flood, tuple_grid, tiny_segments_held, crumbs_everywhere]
