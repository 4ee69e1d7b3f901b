"""Counts what an app could save in a capture of HTTP/1 over plain TCP, without any code of this project.

usage: savings_witness.py CAPTURE

Reads pcap and pcapng of Ethernet, loopback and Linux cooked links, puts each direction in the order of its sequence numbers, cuts
the messages, and prints the counts as JSON. It is written for captures without gaps.
"""

import collections
import gzip
import json
import struct
import sys

Message = collections.namedtuple("Message", "start fields body encoding framing length")


def packets(octets):
    """Link type and octets of each packet."""
    if octets[:4] == b"\x0a\x0d\x0d\x0a":
        order, at, links = "<", 0, []
        while at < len(octets):
            kind = struct.unpack_from("<I", octets, at)[0]
            if kind == 0x0A0D0D0A:
                order = "<" if octets[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
                links = []
            length = struct.unpack_from(order + "I", octets, at + 4)[0]
            if kind == 1:
                links.append(struct.unpack_from(order + "H", octets, at + 8)[0])
            if kind == 6:
                interface, _, _, captured = struct.unpack_from(order + "IIII", octets, at + 8)
                yield links[interface], octets[at + 28 : at + 28 + captured]
            at += length
        return
    order = "<" if octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    link, at = struct.unpack_from(order + "I", octets, 20)[0], 24
    while at < len(octets):
        captured = struct.unpack_from(order + "I", octets, at + 8)[0]
        yield link, octets[at + 16 : at + 16 + captured]
        at += 16 + captured


def segments(octets):
    """Source, destination, flags, sequence number and payload of each TCP segment."""
    for link, packet in packets(octets):
        kind, at = {1: (12, 14), 113: (14, 16), 276: (0, 20)}.get(link, (None, 4))
        if kind is not None:
            kind = struct.unpack_from(">H", packet, kind)[0]
        version = packet[at] >> 4 if kind in (None, 0x0800, 0x86DD) and len(packet) > at else 0
        if version == 4:
            length, protocol = struct.unpack_from(">H", packet, at + 2)[0], packet[at + 9]
            addresses = packet[at + 12 : at + 16], packet[at + 16 : at + 20]
            start, end = at + (packet[at] & 15) * 4, at + length
        elif version == 6:
            protocol, addresses = packet[at + 6], (packet[at + 8 : at + 24], packet[at + 24 : at + 40])
            start, end = at + 40, at + 40 + struct.unpack_from(">H", packet, at + 4)[0]
        else:
            continue
        if protocol != 6:
            continue
        source, destination, number = struct.unpack_from(">HHI", packet, start)
        yield (
            (addresses[0], source), (addresses[1], destination), packet[start + 13], number,
            packet[start + (packet[start + 12] >> 4) * 4 : end],
        )


class Direction:
    """Octets of one direction, in order."""

    def __init__(self, start):
        self.start, self.octets, self.early, self.again = start, bytearray(), {}, 0

    def take(self, number, payload):
        offset = (number - self.start) & 0xFFFFFFFF
        if offset >= 0x80000000:
            offset -= 1 << 32
        if offset > len(self.octets):
            self.early[offset] = payload
            return
        old = min(max(len(self.octets) - offset, 0), len(payload))
        self.again += old
        self.octets += payload[old:]
        while len(self.octets) in self.early:
            self.octets += self.early.pop(len(self.octets))


def line(octets, at):
    end = octets.find(b"\n", at)
    return (None, at) if end < 0 else (bytes(octets[at : end + 1]), end + 1)


def message(octets, at, method):
    """The message at an offset and its end; None at the end of the octets."""
    start, at = line(octets, at)
    while start is not None and not start.strip():
        start, at = line(octets, at)
    if start is None:
        return None
    fields = []
    while True:
        text, at = line(octets, at)
        if text is None:
            return None
        if not text.strip():
            break
        name, _, value = text.partition(b":")
        fields.append((name.lower().decode("latin-1"), value.strip(b" \t\r\n"), len(text)))
    values = {name: value for name, value, _ in fields}
    isResponse = start.startswith(b"HTTP/")
    status = int(start.split()[1]) if isResponse else 0
    encoding = values.get("content-encoding", b"").decode("latin-1")
    framing = values.get("transfer-encoding", b"").decode("latin-1")
    if isResponse and (method == b"HEAD" or status < 200 or status in (204, 304)):
        return Message(start, fields, b"", encoding, framing, 0), at
    body = b""
    if "chunked" in framing:
        while True:
            text, at = line(octets, at)
            if text is None:
                return None
            size = int(text.split(b";")[0], 16)
            if size == 0:
                break
            body += octets[at : at + size]
            at = line(octets, at + size)[1]
        text, at = line(octets, at)
        while text is not None and text.strip():
            text, at = line(octets, at)
    elif "content-length" in values:
        length = int(values["content-length"])
        body, at = bytes(octets[at : at + length]), at + length
        if len(body) < length:
            return Message(start, fields, None, encoding, framing, len(body)), len(octets)
    elif isResponse:
        body, at = bytes(octets[at:]), len(octets)
    return Message(start, fields, bytes(body), encoding, framing, len(body)), at


def connections(octets):
    """Client and both directions of each connection."""
    open_connections, all_connections = {}, []
    for source, destination, flags, number, payload in segments(octets):
        key = frozenset((source, destination))
        if flags & 0x12 == 2:
            known = open_connections.get(key)
            if known is None or known[1][source].start != number + 1:
                open_connections[key] = (source, {source: Direction((number + 1) & 0xFFFFFFFF)})
                all_connections.append(open_connections[key])
        if key not in open_connections:
            open_connections[key] = (source, {})
            all_connections.append(open_connections[key])
        sides = open_connections[key][1]
        if flags & 0x02:
            sides.setdefault(source, Direction((number + 1) & 0xFFFFFFFF))
        elif source not in sides:
            sides[source] = Direction(number)
        if payload:
            sides[source].take(number, payload)
    return all_connections


def main():
    name = sys.argv[1]
    octets = open(name, "rb").read()
    if octets[:2] == b"\x1f\x8b":
        octets = gzip.decompress(octets)
    counts = collections.Counter()
    seen, anywhere = set(), set()
    plain = collections.defaultdict(list)

    def content(client, direction, url, found, api):
        if not found.length:
            return
        if not found.encoding and not found.framing.replace("chunked", "") and found.body is not None:
            plain[direction, api].append(found.body)
        if found.body is None:
            return
        if (client, direction, url, found.body) in seen:
            counts["again"] += len(found.body)
        elif (client, direction, found.body) in anywhere:
            counts["elsewhere"] += len(found.body)
        seen.add((client, direction, url, found.body))
        anywhere.add((client, direction, found.body))

    def fields(latest, direction, api, found):
        before = latest.get((direction, api), set())
        for name, value, length in found.fields:
            kind = "cookies" if name in ("cookie", "set-cookie") else "fields"
            if (name, value) in before:
                counts[kind] += length
        latest[direction, api] = {(name, value) for name, value, _ in found.fields}

    for client, sides in connections(octets):
        counts["retransmissions"] += sum(side.again for side in sides.values())
        servers = [side for end, side in sides.items() if end != client]
        if client not in sides or not servers:
            continue
        at, requests, latest = 0, [], {}
        while (found := message(sides[client].octets, at, None)) is not None:
            requests.append(found[0])
            at = found[1]
        at, number = 0, 0
        for request in requests:
            method, target = request.start.split()[:2]
            host = dict((name, value) for name, value, _ in request.fields).get("host", b"").lower()
            url, api = host + target, host + target.split(b"?")[0]
            fields(latest, "up", api, request)
            content(client[0], "up", url, request, api)
            while (found := message(servers[0].octets, at, method)) is not None:
                response, at = found
                status = int(response.start.split()[1])
                fields(latest, "down", api, response)
                content(client[0], "down", url, response, api)
                if status >= 200:
                    counts["redirects"] += status in (301, 302, 303, 307, 308)
                    counts["errors"] += status >= 400
                    break
            else:
                counts["errors"] += 1
    for bodies in plain.values():
        length = sum(len(body) for body in bodies)
        counts["gzip"] += max(length - sum(len(gzip.compress(body, 6)) for body in bodies), 0)
    print(json.dumps(counts))


main()
