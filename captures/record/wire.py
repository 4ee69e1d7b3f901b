#!/usr/bin/env python3
"""A wire between two interfaces of one namespace that may lose, repeat, delay and reorder frames, or tag them.

    wire.py A B [--loss P] [--duplicate P] [--reorder P] [--delay MS] [--seed N] [--push-b TYPE:VALUE[,…]]

Every frame that arrives at A leaves at B and the other way round. --push-b makes B a trunk: frames get the tags
on their way out of B and lose them on their way in (0x8100:VLAN, 0x88a8:VLAN, 0x8847:LABEL, 0x8864:SESSION).
Only IP frames are lost or repeated, and chance is drawn from the seed. Runs until it is told to stop.
"""
import argparse, heapq, random, select, socket, struct, sys, time

TAGS = (0x8100, 0x88A8)


def opened(name):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    s.bind((name, 0))
    return s


def push(frame, tags):
    """The tags in front of what the frame carries, the first one outermost. MPLS and PPPoE carry IP only."""
    kind, rest = frame[12:14], frame[14:]
    if kind not in (b"\x08\x00", b"\x86\xdd") and any(type not in TAGS for type, _ in tags):
        return frame
    for type, value in reversed(tags):
        if type in TAGS:
            rest = struct.pack(">H", value) + kind + rest
        elif type in (0x8847, 0x8848):
            bottom = int(int.from_bytes(kind, "big") not in (0x8847, 0x8848))
            rest = struct.pack(">I", value << 12 | bottom << 8 | 64) + rest
        elif type == 0x8864:
            six = kind == b"\x86\xdd"
            rest = struct.pack(">BBHHH", 0x11, 0, value, len(rest) + 2, 0x57 if six else 0x21) + rest
        kind = struct.pack(">H", type)
    return frame[:12] + kind + rest


def pop(frame):
    """The frame without tags. The kernel has already taken the outermost VLAN tag off a frame that it received."""
    kind, at = int.from_bytes(frame[12:14], "big"), 14
    while True:
        if kind in TAGS:
            kind, at = int.from_bytes(frame[at + 2:at + 4], "big"), at + 4
        elif kind in (0x8847, 0x8848):
            bottom, at = frame[at + 2] & 1, at + 4
            if bottom:
                kind = 0x86DD if frame[at] >> 4 == 6 else 0x0800
        elif kind == 0x8864:
            kind, at = (0x86DD if frame[at + 7] == 0x57 else 0x0800), at + 8
        else:
            return frame[:12] + struct.pack(">H", kind) + frame[at:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("a")
    parser.add_argument("b")
    for name in ("loss", "duplicate", "reorder", "delay"):
        parser.add_argument("--" + name, type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--push-b", default="")
    o = parser.parse_args()
    tags = [tuple(int(x, 0) for x in t.split(":")) for t in o.push_b.split(",") if t]
    rng = random.Random(o.seed)
    a, b = opened(o.a), opened(o.b)
    waiting, turn = [], 0
    counts = {"passed": 0, "lost": 0, "repeated": 0, "overtaken": 0}
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, target, frame = heapq.heappop(waiting)
            try:
                target.send(frame)
            except OSError as error:
                print(error, len(frame), file=sys.stderr, flush=True)
        ready, _, _ = select.select([a, b], [], [], max(0, waiting[0][0] - now) if waiting else 1)
        for source in ready:
            frame, (_, _, kind, _, _) = source.recvfrom(65536)
            if kind == socket.PACKET_OUTGOING:
                continue
            target = b if source is a else a
            if tags:
                frame = push(frame, tags) if target is b else pop(frame)
            ip = frame[12:14] in (b"\x08\x00", b"\x86\xdd") and len(frame) > 60
            times = 1
            if ip and rng.random() < o.loss:
                counts["lost"] += 1
                continue
            if ip and rng.random() < o.duplicate:
                counts["repeated"] += 1
                times = 2
            for copy in range(times):
                delay = o.delay / 1000
                if ip and rng.random() < o.reorder:
                    counts["overtaken"] += 1
                    delay += 0.004
                counts["passed"] += 1
                turn += 1
                heapq.heappush(waiting, (time.monotonic() + delay + copy * 0.0005, turn, target, frame))


main()
