#!/usr/bin/env python3
"""A name server for the recordings: reserved names, addresses of this namespace.   dns.py PORT LOG

A, AAAA, CNAME chains, TXT of any length (fragmented on the way), NXDOMAIN, truncation without EDNS.
"""
import json, socket, select, struct, sys

ZONE = {
    "www.example.com": [("CNAME", "edge.example.net")],
    "edge.example.net": [("CNAME", "edge-7.example.net")],
    "edge-7.example.net": [("A", "192.0.2.5"), ("AAAA", "2001:db8::5")],
    "api.example.com": [("A", "192.0.2.1")],
    "auth.example.com": [("A", "192.0.2.2")],
    "img.example.com": [("A", "192.0.2.3"), ("AAAA", "2001:db8::3")],
    "cdn.example.net": [("A", "192.0.2.4"), ("A", "192.0.2.5")],
    "log.example.org": [("A", "192.0.2.6")],
    "ws.example.com": [("A", "192.0.2.7")],
    "pay.example.com": [("A", "192.0.2.8")],
    "ads.example.net": [("CNAME", "pool.ads.example.net")],
    "pool.ads.example.net": [("A", "192.0.2.9")],
    "legacy.example.com": [("A", "192.0.2.2")],
    "six.example.com": [("AAAA", "2001:db8::4")],
    "big.example.com": [("TXT", "amber anchor apple arrow autumn " * 100)],
}
TYPES = {1: "A", 28: "AAAA", 5: "CNAME", 16: "TXT"}
NUMBERS = {v: k for k, v in TYPES.items()}


def encode(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def data(kind, value):
    if kind == "A": return socket.inet_aton(value)
    if kind == "AAAA": return socket.inet_pton(socket.AF_INET6, value)
    if kind == "CNAME": return encode(value)
    octets = value.encode()
    return b"".join(bytes([len(octets[i:i + 255])]) + octets[i:i + 255] for i in range(0, len(octets), 255))


def answer(query):
    identity, flags, questions, _, _, additional = struct.unpack(">6H", query[:12])
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
        at += query[at] + 1
    kind, question = struct.unpack(">H", query[at + 1:at + 3])[0], query[12:at + 5]
    name = ".".join(labels).lower()
    limit = 512
    if additional and query[at + 5:at + 8] == b"\0\0\x29":
        limit = max(512, struct.unpack(">H", query[at + 8:at + 10])[0])
    known, answers, owner, here = name in ZONE, [], b"\xc0\x0c", name
    while here in ZONE:
        target = None
        for record, value in ZONE[here]:
            if record == TYPES.get(kind) or record == "CNAME":
                rdata = data(record, value)
                answers.append(owner + struct.pack(">HHIH", NUMBERS[record], 1, 60, len(rdata)) + rdata)
            if record == "CNAME" and TYPES.get(kind) != "CNAME":
                target = value
        if target is None:
            break
        here, owner = target, encode(target)
    opt = b"\0\0\x29\x10\0\0\0\0\0\0\0" if limit > 512 else b""
    reply = lambda records, truncated: struct.pack(
        ">6H", identity, 0x8180 | flags & 0x0100 | truncated << 9 | (0 if known else 3), 1, len(records), 0, 1 if opt else 0) + question + b"".join(records) + opt
    octets = reply(answers, 0)
    return (octets if len(octets) <= limit else reply([], 1)), name, TYPES.get(kind, str(kind))


sockets = []
for family, everything in ((socket.AF_INET, "192.0.2.53"), (socket.AF_INET6, "2001:db8::53")):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind((everything, int(sys.argv[1])))
    sockets.append(s)
with open(sys.argv[2], "a", buffering=1) as log:
    while True:
        for s in select.select(sockets, [], [])[0]:
            query, client = s.recvfrom(4096)
            try:
                octets, name, kind = answer(query)
            except (IndexError, struct.error):
                continue
            s.sendto(octets, client)
            log.write(json.dumps({"client": client[0], "port": client[1], "name": name, "type": kind, "query": len(query), "answer": len(octets)}) + "\n")
