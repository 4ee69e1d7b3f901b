"""Attacks on IP: fragments, extension headers, tunnels; on the table of names; and on QUIC."""

import gzip
import os

from packets import *


def fragment(capture, payload, offset, has_more, identification=7):
    flags = offset // 8 | (0x2000 if has_more else 0)
    capture.write(ipv4(CLIENT, SERVER, 17, payload, identification=identification, fragment=flags))


def teardrop(capture):
    """The second fragment lies inside of the first."""
    fragment(capture, udp(b"x" * 56), 0, True)
    fragment(capture, b"y" * 24, 24, False)


def fragments_overlapping(capture):
    """The same place in two versions: the first captured is kept."""
    data = udp(b"a" * 56)
    fragment(capture, data[:32], 0, True)
    fragment(capture, b"b" * 32, 16, True)
    fragment(capture, data[48:], 48, False)


def fragment_beyond_64k(capture):
    fragment(capture, b"x" * 600, 65528, False)


def fragment_of_nothing(capture):
    fragment(capture, b"", 0, True)
    fragment(capture, b"", 8, False)


def extension_chain(capture):
    """Twelve headers of which each names the next."""
    segment = tcp("2001:db8::1", "2001:db8::2", (40000, 80), 1, 0, SYN)
    payload = b"".join(bytes([60 if number < 11 else 6, 0]) + b"\1\4\0\0\0\0" for number in range(12)) + segment
    capture.write(ipv6("2001:db8::1", "2001:db8::2", 60, payload))


def tunnels(capture, depth):
    packet = ipv4(CLIENT, SERVER, 6, tcp(CLIENT, SERVER, (40000, 80), 1, 0, SYN))
    for _ in range(depth):
        packet = ipv4("10.0.0.1", "10.0.0.2", 4, packet)
    capture.write(packet)


def tunnels_eight(capture):
    tunnels(capture, 8)


def tunnels_nine(capture):
    tunnels(capture, 9)


def tunnels_hundred(capture):
    tunnels(capture, 100)


def fragment_flood(capture):
    """First fragments of datagrams that never go on."""
    payload = udp(b"x" * 1400)
    for number in range(300_000):
        source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.1"
        capture.write(ipv4(source, SERVER, 17, payload, identification=number & 0xFFFF, fragment=0x2000))


def fragment_crumbs(capture):
    """Datagrams of the smallest fragments, last one first, so that each goes before all others."""
    for number in range(100):
        for offset in range(8000, 0, -8):
            fragment(capture, b"12345678", offset, True, number)


def name_flood(capture):
    """DNS answers with more names than are kept."""
    label = b"\x3f" + b"n" * 63
    for number in range(200_000):
        question = label * 3 + b"\x06" + f"{number:06}".encode() + b"\0\0\1\0\1"
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + struct.pack(">I", number)
        message = struct.pack(">HHHHHH", number & 0xFFFF, 0x8180, 1, 1, 0, 0) + question + answer
        capture.write(ipv4(SERVER, CLIENT, 17, udp(message, (53, 5000))))


def quic_flood(capture):
    """Initial packets that no keys open, each from an address of its own."""
    for number in range(300_000):
        source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        header = b"\xc0\0\0\0\1\x08" + struct.pack(">Q", number) + b"\0\0\x40\x50"
        capture.write(ipv4(source, SERVER, 17, udp(header + b"x" * 80, (40000, 443))))


def quic_hellos(capture):
    """One and the same Initial packet of a browser, which can be opened, from many addresses: the rest of each hello never comes."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    octets = gzip.open(os.path.join(folder, "quic.pcap.gz")).read()
    offset = 24
    for _ in range(57):
        length = struct.unpack_from("<I", octets, offset + 8)[0]
        packet = octets[offset + 16 : offset + 16 + length]
        offset += 16 + length
    payload = packet[14 + 20 + 8 :]
    for number in range(100_000):
        source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        capture.write(ipv4(source, SERVER, 17, udp(payload, (40000, 443))))


SMALL = [
    teardrop, fragments_overlapping, fragment_beyond_64k, fragment_of_nothing, extension_chain, tunnels_eight,
    tunnels_nine, tunnels_hundred,
]
LARGE = [fragment_flood, fragment_crumbs, name_flood, quic_flood, quic_hellos]
