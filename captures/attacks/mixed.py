"""Several attacks at once: which of them, and how large, a number says; their packets are merged by time."""

import heapq
import os
import random
import struct

import datagrams
import http3_floods
import messages
import packets
import quic_floods
import segments
import streams
import tables

MODULES = (segments, messages, datagrams, streams, tables)
#: One of these joins a mix by a draw of its own: what a seed made before they were there, it still makes.
LATER = (quic_floods, http3_floods)
ATTACKS = {
    case.__name__: case for module in MODULES + LATER for case in [*module.SMALL, *module.LARGE]
}
#: What has content codings: decoding takes time that goes by coded octets.
CODED = {name for name in ATTACKS if any(word in name for word in ("bomb", "coding", "quine", "window", "decoders"))}
#: These run alone. A list that they made longer would draw other mixes for the seeds that broke a promise once.
ALONE = {"interims_hidden"}
#: What fills a table, and is drawn more often.
FLOODS = [case.__name__ for module in MODULES for case in module.LARGE if case.__name__ not in ALONE]
EVERY = sorted(
    case.__name__ for module in MODULES for case in [*module.SMALL, *module.LARGE] if case.__name__ not in ALONE)
LATER_FLOODS = [case.__name__ for module in LATER for case in module.LARGE]
START = 1_700_000_000_000_000


class Enough(Exception):
    """The attack has written as much as it may."""


class Part(packets.Capture):
    """One attack's packets, up to a number of them and of their octets, at a pace of its own."""

    def __init__(self, path, packet_limit, octet_limit, start, pace):
        super().__init__(path, start)
        self.left, self.octets_left, self.pace = packet_limit, octet_limit, pace
        self.count = self.octets = 0

    def write(self, packet, step=1):
        if self.count == self.left or self.octets + len(packet) > self.octets_left:
            raise Enough
        self.count += 1
        self.octets += len(packet)
        super().write(packet, step * self.pace)


class Mix:
    """A capture of several attacks; the same for the same seed, number and largest size."""

    def __init__(self, seed, number, largest):
        draw = random.Random(f"{seed}/{number}")
        self.draw = draw
        count = draw.randint(2, 6)
        names = [draw.choice(FLOODS if draw.random() < 0.8 else EVERY) for _ in range(count)]
        self.parts = [self.part(name, draw, largest) for name in names]
        # A third of the mixes lacks packets, has some twice and some late.
        self.lost, self.repeated, self.late = (
            [draw.choice([0, 0.001, 0.02]) for _ in range(3)] if draw.random() < 1 / 3 else [0, 0, 0])
        self.options = draw.choice([[], [], [], ["--template"], ["--verify-checksums"], ["--redact"], ["--jobs", "1"]])
        later = random.Random(f"{seed}/{number}/later")
        if later.random() < 0.6:
            self.parts.append(self.part(later.choice(LATER_FLOODS), later, largest))

    @staticmethod
    def part(name, draw, largest):
        """How much of an attack there is, and when."""
        return {
            "name": name,
            "packets": int(largest ** draw.uniform(0.7, 1)),
            "octets": int((largest * 200) ** draw.uniform(0.85, 1)),
            "start": START + draw.randrange(1_000_000),
            "pace": draw.choice([1, 1, 10, 100]),
        }

    @property
    def name(self):
        disorder = f" lost={self.lost} twice={self.repeated} late={self.late}" if self.lost or self.repeated or self.late else ""
        return " + ".join(part["name"] for part in self.parts) + disorder + "".join(f" {o}" for o in self.options)

    @classmethod
    def of(cls, *parts):
        """A mix of parts that are known: each a name, its packets, when it starts in microseconds."""
        mix = cls(0, 0, 1000)
        mix.lost = mix.repeated = mix.late = 0
        mix.parts = [
            {"name": name, "packets": packets, "octets": 1 << 40, "start": START + start, "pace": 1}
            for name, packets, start in parts
        ]
        return mix

    def write(self, path):
        """Makes the capture. Returns its packets, its octets, and those of them that have content codings."""
        coded = 0
        paths = []
        for network, part in enumerate(self.parts):
            packets.network = network
            paths.append(f"{path}.{network}")
            capture = Part(paths[-1], part["packets"], part["octets"], part["start"], part["pace"])
            try:
                ATTACKS[part["name"]](capture)
            except Enough:
                pass
            capture.close()
            coded += capture.octets if part["name"] in CODED else 0
        packets.network = 0
        written = [0, 0]
        with open(path, "wb", buffering=1 << 20) as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
            for _, record in self.disturbed(heapq.merge(*map(records, paths), key=lambda pair: pair[0])):
                file.write(record)
                written[0] += 1
                written[1] += len(record) - 16
        for part in paths:
            os.remove(part)
        return *written, coded

    def disturbed(self, merged):
        """Without some packets, with some twice, and some later than they were. Their times stay in order, and late ones have that
        of the place where they are."""
        late = []
        for position, (time, record) in enumerate(merged):
            while late and late[0][0] <= position:
                _, _, held = heapq.heappop(late)
                yield time, record[:8] + held[8:]
            if self.lost and self.draw.random() < self.lost:
                continue
            if self.late and self.draw.random() < self.late:
                heapq.heappush(late, (position + self.draw.randint(2, 12), position, record))
                continue
            yield time, record
            if self.repeated and self.draw.random() < self.repeated:
                yield time, record
        for _, _, held in sorted(late):
            yield 0, held


def records(path):
    """The packets of a capture file with their times in microseconds, one after another."""
    with open(path, "rb", buffering=1 << 18) as file:
        file.read(24)
        while head := file.read(16):
            seconds, microseconds, length, _ = struct.unpack("<IIII", head)
            yield seconds * 10**6 + microseconds, head + file.read(length)


#: Mixes that broke a promise once.
KEPT = {
    # First connections, then APIs and names, then decoders: each table was full, and they took 452 MiB.
    "tables_full_at_once": Mix.of(
        ("requests_everywhere", 900_000, 0), ("many_apis", 400_000, 900_000), ("name_flood", 100_000, 1_000_000),
        ("long_windows_filled", 20_000, 1_300_000), ("decoders_everywhere", 60_000, 1_400_000)),
}
