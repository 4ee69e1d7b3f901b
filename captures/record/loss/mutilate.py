#!/usr/bin/env python3
"""Takes packets away from a capture, or adds and moves them, as captures lose them; the same ones for the same seed.

    mutilate.py KIND AMOUNT IN.pcap OUT.pcap [SEED]

    loss RATE            each packet is gone with this chance (RATE in percent)
    data-loss RATE       only packets with payload go
    lost-acks RATE       only segments go that have nothing but an acknowledgment
    bursts RATE          runs of 50 to 500 packets go, RATE percent of all in the end (at least one run)
    reorder RATE         packets come 2 to 12 packets later
    duplicate RATE       packets come twice, the copy up to 3 packets later
    mixed RATE           loss, reorder and duplicate, each at RATE
    snaplen N            at most N octets of each packet are kept; its original length stays
    one-direction SIDE   only what the client (or the server) sends
    mid-stream PERCENT   the first PERCENT of the packets are gone
    whole 0              nothing changes

A packet that moves gets the time of the packet that it then follows: the times of a capture are those at which packets
reached it, so a late packet has a late time.
"""
import random, struct, sys

RATED = ["loss", "bursts", "data-loss", "reorder", "duplicate", "lost-acks", "mixed"]
KINDS = RATED + ["snaplen", "one-direction", "mid-stream", "whole"]


class Packet:
    """Where a packet is in the file, and what of it a mutilation or a comparison asks."""
    __slots__ = ("number", "offset", "time", "kept", "original", "client", "up", "payload", "headers", "flags", "sequence")


class Capture:
    """A pcap file of Ethernet frames with IPv4 and TCP to PORT; other packets are carried along."""

    def __init__(self, path, port=80):
        with open(path, "rb") as f:
            self.octets = f.read()
        magic = self.octets[:4]
        self.order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        self.nanoseconds = magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
        header = struct.Struct(self.order + "IIII")
        self.header, self.packets = self.octets[:24], []
        at, end = 24, len(self.octets)
        while at + 16 <= end:
            seconds, fraction, kept, original = header.unpack_from(self.octets, at)
            p = Packet()
            p.number, p.offset, p.time, p.kept, p.original = len(self.packets) + 1, at + 16, (seconds, fraction), kept, original
            p.client, p.up, p.payload, p.headers, p.flags, p.sequence = None, False, 0, kept, 0, 0
            self.read_tcp(p, port)
            self.packets.append(p)
            at += 16 + kept

    def read_tcp(self, p, port):
        o, at = self.octets, p.offset + 14
        if p.kept < 54 or o[at - 2:at] != b"\x08\x00" or o[at + 9] != 6:
            return
        size = (o[at] & 15) * 4
        total = o[at + 2] << 8 | o[at + 3]
        tcp = at + size
        source, target, p.sequence = struct.unpack_from(">HHI", o, tcp)
        p.up = target == port
        if not p.up and source != port:
            return
        address = o[at + 12:at + 16] if p.up else o[at + 16:at + 20]
        p.client = "%d.%d.%d.%d:%d" % (*address, source if p.up else target)
        p.headers = 14 + size + (o[tcp + 12] >> 4) * 4
        p.payload = total - (p.headers - 14)
        p.flags = o[tcp + 13]


def plan(packets, kind, amount, seed):
    """What comes of the packets: a list of (packet, time, octets kept)."""
    rng = random.Random(f"{seed} {kind} {amount}")
    whole = [(p, p.time, p.kept) for p in packets]
    if kind == "whole":
        return whole
    if kind == "snaplen":
        return [(p, p.time, min(p.kept, int(amount))) for p in packets]
    if kind == "one-direction":
        return [w for w in whole if w[0].client is None or w[0].up == (amount == "client")]
    if kind == "mid-stream":
        return whole[int(len(whole) * float(amount) / 100):]
    rate = float(amount) / 100
    if kind in ("loss", "data-loss", "lost-acks", "mixed"):
        def exposed(p):
            if kind == "data-loss": return p.payload > 0
            if kind == "lost-acks": return p.client is not None and p.payload == 0 and p.flags == 0x10
            return True
        whole = [w for w in whole if not (exposed(w[0]) and rng.random() < rate)]
    if kind == "bursts":
        gone, wanted = set(), max(1, int(rate * len(whole)))
        while len(gone) < wanted:
            length = min(rng.randrange(50, 501), max(50, wanted - len(gone)))
            start = rng.randrange(max(1, len(whole) - length))
            gone.update(range(start, start + length))
        whole = [w for i, w in enumerate(whole) if i not in gone]
    if kind in ("reorder", "duplicate", "mixed"):
        # Each packet stands at its own place; a moved one, or a copy, half a place behind the one it then follows.
        placed = []
        for i, (p, time, kept) in enumerate(whole):
            later = i
            if kind != "duplicate" and rng.random() < rate:
                later = min(len(whole) - 1, i + rng.randrange(2, 13))
            placed.append((later + (0.5 if later > i else 0), i, p, whole[later][1], kept))
            if kind != "reorder" and rng.random() < rate:
                copy = min(len(whole) - 1, later + rng.randrange(0, 4))
                placed.append((copy + 0.5, i, p, whole[copy][1], kept))
        placed.sort(key=lambda w: w[:2])
        whole = [w[2:] for w in placed]
    return whole


def write(capture, planned, path):
    octets, header = capture.octets, struct.Struct(capture.order + "IIII")
    with open(path, "wb") as f:
        f.write(capture.header)
        f.write(b"".join(part for p, time, kept in planned
                         for part in (header.pack(*time, kept, p.original), octets[p.offset:p.offset + kept])))


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    source = Capture(sys.argv[3])
    write(source, plan(source.packets, sys.argv[1], sys.argv[2], sys.argv[5] if len(sys.argv) > 5 else "1"), sys.argv[4])
