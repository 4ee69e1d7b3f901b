"""Packets and capture files of hand-made traffic: raw IP (LINKTYPE_RAW), one microsecond apart unless told otherwise."""

import functools
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, SERVER = "192.0.2.1", "198.51.100.1"


#: Added to the first octet of each IPv4 address, and to the last one of the network of an IPv6 address: attacks
#: in one capture keep apart.
network = 0


def address(text):
    return address_in(text, network)


@functools.lru_cache(maxsize=4096)
def address_in(text, network):
    if ":" not in text:
        parts = [int(part) for part in text.split(".")]
        return bytes([parts[0] + network, *parts[1:]])
    octets = unicast6(text)
    return octets[:3] + bytes([octets[3] + network & 255]) + octets[4:]


def unicast6(text):
    head, _, tail = text.partition("::")
    left = [int(part, 16) for part in head.split(":") if part]
    right = [int(part, 16) for part in tail.split(":") if part]
    words = left + [0] * (8 - len(left) - len(right)) + right
    return b"".join(struct.pack(">H", word) for word in words)


def checksum(octets):
    number = int.from_bytes(octets, "big") << 8 * (len(octets) % 2)
    # What is left modulo 65,535 is the sum of the words in ones' complement, which has two zeros.
    total = number % 0xFFFF or (0xFFFF if number else 0)
    return ~total & 0xFFFF


def ipv4(source, destination, protocol, payload, ttl=64, identification=1, fragment=0):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), identification, fragment, ttl, protocol, 0)
    head += address(source) + address(destination)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def ipv6(source, destination, following, payload):
    return struct.pack(">IHBB", 6 << 28, len(payload), following, 64) + address(source) + address(destination) + payload


def udp(payload, ports=(5000, 5001)):
    return struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload


def tcp(source, destination, ports, sequence, acknowledgment, flags, payload=b"", window=0xFFFF, is_bad=False):
    head = struct.pack(
        ">HHIIBBHHH", *ports, sequence % 2**32, acknowledgment % 2**32, 0x50, flags, window, 0, 0)
    pseudo = address(source) + address(destination) + struct.pack(">II", 20 + len(payload), 6)
    total = checksum(pseudo + head + payload) ^ (0x5555 if is_bad else 0)
    return head[:16] + struct.pack(">H", total) + head[18:] + payload


class Capture:
    """A pcap file that is being written."""

    def __init__(self, path, start=1_700_000_000_000_000):
        self.file = open(path, "wb", buffering=1 << 20)
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
        self.time = start

    def write(self, packet, step=1):
        self.file.write(struct.pack("<IIII", self.time // 10**6, self.time % 10**6, len(packet), len(packet)) + packet)
        self.time += step

    def close(self):
        self.file.close()


class Connection:
    """A TCP connection whose segments go to a capture: each side's numbers follow what it sent."""

    def __init__(self, capture, port=40000, client=CLIENT, server=SERVER, start=1000, is_opened=True):
        self.capture, self.ends = capture, {"c": client, "s": server}
        self.ports = {"c": (port, 80), "s": (80, port)}
        self.next = {"c": start, "s": 500000}
        if is_opened:
            self.send("c", flags=SYN)
            self.send("s", flags=SYN | ACK)
            self.send("c")

    def packet(self, side, payload=b"", flags=ACK, at=0, ttl=64, is_bad=False):
        """A segment `at` octets from where its sender is; nothing is sent."""
        other = "s" if side == "c" else "c"
        source, destination = self.ends[side], self.ends[other]
        acknowledged = self.next[other] if flags & ACK else 0
        segment = tcp(
            source, destination, self.ports[side], self.next[side] + at, acknowledged, flags, payload, is_bad=is_bad)
        if ":" in source:
            return ipv6(source, destination, 6, segment)
        return ipv4(source, destination, 6, segment, ttl=ttl)

    def send(self, side, payload=b"", flags=ACK, step=1):
        """Sends a segment, and goes on behind it."""
        self.capture.write(self.packet(side, payload, flags), step)
        self.next[side] += len(payload) + (1 if flags & (SYN | FIN) else 0)

    def stream(self, side, octets, size=1400, acknowledge_each=64):
        """Sends octets in segments of `size`, which the other side acknowledges now and then."""
        for number, start in enumerate(range(0, len(octets), size)):
            self.send(side, octets[start:start + size])
            if number % acknowledge_each == acknowledge_each - 1:
                self.send("s" if side == "c" else "c")

    def inject(self, side, payload=b"", flags=ACK, at=0, ttl=64, is_bad=False):
        """Somebody else's segment: the side knows nothing of it."""
        self.capture.write(self.packet(side, payload, flags, at, ttl, is_bad))

    def close(self):
        self.send("c", flags=FIN | ACK)
        self.send("s", flags=FIN | ACK)
        self.send("c")


def get(path="/", fields=""):
    return f"GET {path} HTTP/1.1\r\nHost: a.example\r\n{fields}\r\n".encode()


def ok(body=b"hello", fields="", length=None):
    length = len(body) if length is None else length
    return f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{fields}\r\n".encode() + body
