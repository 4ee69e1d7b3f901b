"""Attacks on QUIC: on its tables of connections, IDs, streams and addresses, on octets out of order, and on its keys."""

import random

from quic import *


def quic_initials(capture):
    """Connections that are opened from one address and port, half of them without an ID of the client's."""
    hello = crypto(client_hello()) + bytes(900)
    for number in range(60_000):
        connection = QUICConnection(capture, number, has_client_id=number % 2 == 0, is_opened=False)
        connection.send(CLIENT_SIDE, connection.long("initial", CLIENT_SIDE, hello))


def quic_handshakes(capture):
    """Connections whose handshakes end, each from a port of its own."""
    for number in range(50_000):
        QUICConnection(capture, number, 10_000 + number)


def shared_sockets(capture):
    """As many connections between the same two ports as are told apart, half of them without an ID of the client's."""
    return [QUICConnection(capture, number, has_client_id=number % 2 == 0) for number in range(32)]


def quic_unknown_ids(capture):
    """Packets with unknown IDs between two ports that many connections share: their keys are tried."""
    draw = random.Random(1)
    connection = shared_sockets(capture)[0]
    for number in range(300_000):
        connection.send(number & 1, bytes([0x40 | draw.randrange(64)]) + draw.randbytes(60))


def quic_unknown_long_headers(capture):
    """The same of packets of handshakes, whose IDs would give other keys."""
    draw = random.Random(2)
    connection = shared_sockets(capture)[0]
    for number in range(300_000):
        head = bytes([0xC0 | draw.randrange(3) << 4, 0, 0, 0, 1, 8]) + draw.randbytes(8) + b"\0\0\x40\x50"
        connection.send(number & 1, head + draw.randbytes(80))


def quic_ids(capture):
    """New connection IDs, each of which is retired at once or forgotten for further ones."""
    draw = random.Random(3)
    connection = QUICConnection(capture)
    for packet in range(60_000):
        numbers = range(packet * 30 + 1, packet * 30 + 31)
        new = (b"\x18" + integer(number) + b"\0\x08" + draw.randbytes(24) for number in numbers)
        connection.say(packet & 1, b"".join(new))
        if packet % 3 == 0:
            connection.say(1 - packet & 1, b"".join(b"\x19" + integer(number) for number in numbers))


def quic_streams_far_apart(capture):
    """Two octets each of streams whose numbers, and places in them, are far apart, with ever larger numbers and without order."""
    draw = random.Random(4)
    connection = QUICConnection(capture)
    for packet in range(20_000):
        least = packet << 40 if packet < 19_000 else 0
        connection.say(packet & 1, b"".join(
            stream((least + draw.randrange(1 << 40)) * 4 + draw.randrange(4), b"ab", draw.randrange(1 << 20))
            for _ in range(60)))


def quic_hello_in_pieces(capture):
    """A hello in octets without order, which has holes everywhere."""
    draw = random.Random(5)
    connection = QUICConnection(capture, is_opened=False)
    made = initial_keys(connection.first, CLIENT_SIDE)
    header = bytes([0xC3, 0, 0, 0, 1, 8]) + connection.first + bytes([8]) + connection.own + b"\0"
    parts = [b"".join(crypto(b"x", 2 * draw.randrange(8192) + 1) for _ in range(200)) for _ in range(500)]
    for number in range(60_000):
        connection.send(CLIENT_SIDE, made.seal(header, number, parts[number % len(parts)]))


def quic_handshake_in_pieces(capture):
    """The same in packets of the handshake, at places up to 2^40."""
    draw = random.Random(6)
    connection = QUICConnection(capture, is_opened=False)
    connection.greet()
    for packet in range(60_000):
        frames = b"".join(crypto(b"x", draw.randrange(1 << 40)) for _ in range(100))
        connection.send(packet & 1, connection.long("handshake", packet & 1, frames))


def quic_streams_in_pieces(capture):
    """Octets of streams with holes between them: in order, backwards and without order."""
    draw = random.Random(7)
    connection = QUICConnection(capture)
    for packet in range(15_000):
        places = range(packet * 100, packet * 100 + 100)
        connection.say(CLIENT_SIDE, b"".join(stream(0, b"z", 2 * place + 1) for place in places))
        connection.say(SERVER_SIDE, b"".join(stream(0, b"z", 10_000_000 - 2 * place) for place in places))
        connection.say(CLIENT_SIDE, b"".join(
            stream(4, b"z", packet * 100 + 2 * draw.randrange(8000) + 1) for _ in places))


def quic_key_updates(capture):
    """An update of keys in each packet of both sides."""
    connection = QUICConnection(capture)
    for packet in range(150_000):
        connection.update(packet & 1)
        connection.say(packet & 1, stream(0, b"z", packet >> 1))


def quic_wrong_keys(capture):
    """Packets of either phase that no keys open, between packets that open."""
    draw = random.Random(8)
    connection = QUICConnection(capture)
    for packet in range(300_000):
        if packet % 8:
            connection.send(CLIENT_SIDE, bytes([0x40 | draw.randrange(64)]) + connection.servers + draw.randbytes(40))
        else:
            connection.say(CLIENT_SIDE, stream(0, b"z", packet >> 3))


def quic_numbers_far_apart(capture):
    """Packet numbers of one octet behind as many lost packets as are looked for, and keys that were updated meanwhile."""
    connection = QUICConnection(capture)
    for packet in range(150_000):
        connection.numbers["application", CLIENT_SIDE] = packet * 3_000_000_000 % (1 << 31)
        if packet % 2:
            connection.update(CLIENT_SIDE)
            connection.update(CLIENT_SIDE)
        connection.say(CLIENT_SIDE, stream(0, b"z", packet))


def quic_paths(capture):
    """Each packet comes from another address, with an ID that is known."""
    connection = QUICConnection(capture)
    for number in range(300_000):
        client = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        packet = connection.short(CLIENT_SIDE, b"\x1a" + bytes(8) + stream(0, b"z", number))
        connection.send(CLIENT_SIDE, packet, port=10_000 + number % 40_000, client=client)


def quic_paths_shared(capture):
    """Many connections move to one and the same new address after another."""
    connections = [QUICConnection(capture, number, 10_000 + number) for number in range(1000)]
    for number in range(200_000):
        connection = connections[number % 1000]
        connection.send(CLIENT_SIDE, connection.short(CLIENT_SIDE, b"\1"), port=50_000 + number // 1000 % 100)


def quic_coalesced(capture):
    """Datagrams of the shortest packets: those that open, and those that do not."""
    draw = random.Random(9)
    connection = QUICConnection(capture)
    for number in range(30_000):
        side = number & 1
        opened = b"".join(connection.long("handshake", side, b"\1\0\0\0") for _ in range(12))
        target = connection.servers if side == CLIENT_SIDE else connection.own
        head = bytes([0xE0 if number & 2 else 0xD0, 0, 0, 0, 1, 8]) + target + b"\0\x14"
        connection.send(side, opened + b"".join(head + draw.randbytes(20) for _ in range(20)))


def quic_segments(capture):
    """Datagrams with many packets in short form, of ever other lengths and without IDs: each end is looked for. Then none that opens, each
    octet of which may begin a packet."""
    draw = random.Random(10)
    connection = QUICConnection(capture, has_client_id=False)
    for number in range(300):
        octets = b""
        while len(octets) < 60_000:
            octets += connection.short(SERVER_SIDE, bytes(4 + draw.randrange(1, 400)))
        connection.send(SERVER_SIDE, octets)
        connection.send(CLIENT_SIDE, (b"\x40" + connection.servers) * 6000)


def quic_acknowledgments(capture):
    """Frames of acknowledgments with as many ranges as a packet holds."""
    connection = QUICConnection(capture)
    # A range for each second packet.
    frame = b"\2" + integer(1 << 20) + b"\0" + integer(650) + b"\0" + b"\0\0" * 650
    for packet in range(100_000):
        connection.say(packet & 1, frame)


def quic_early_data_waiting(capture):
    """Early data wait for the server's hello, while each Initial packet of the client's changes the keys of those packets."""
    connection = QUICConnection(capture, is_opened=False)
    hello = crypto(client_hello(is_early=True)) + bytes(900)
    connection.send(CLIENT_SIDE, connection.long("initial", CLIENT_SIDE, hello))
    for number in range(8000):
        connection.send(CLIENT_SIDE, connection.long("early", CLIENT_SIDE, stream(0, b"z", number)))
    for number in range(100_000):
        first = struct.pack(">Q", number)
        connection.send(CLIENT_SIDE, connection.long("initial", CLIENT_SIDE, b"\1\0\0\0", to=first))


SMALL = []
LARGE = [
    quic_initials, quic_handshakes, quic_unknown_ids, quic_unknown_long_headers, quic_ids, quic_streams_far_apart,
    quic_hello_in_pieces, quic_handshake_in_pieces, quic_streams_in_pieces, quic_key_updates, quic_wrong_keys,
    quic_numbers_far_apart, quic_paths, quic_paths_shared, quic_coalesced, quic_segments, quic_acknowledgments, quic_early_data_waiting,
]
