"""Applies what a bad network does to a capture: one packet in 200 is lost and sent again 20 packets later, one in
100 changes places with the next, one in 100 comes twice. Seeded; the streams stay whole."""
import random
import struct
import sys

random.seed(7)
source, target = sys.argv[1:3]
held = []  # (due, data)
count = 0
with open(source, "rb") as reader, open(target, "wb", buffering=1 << 20) as writer:
    writer.write(reader.read(24))
    late = None
    while True:
        header = reader.read(16)
        if len(header) < 16:
            break
        seconds, fraction, captured, length = struct.unpack("<IIII", header)
        packet = reader.read(captured)
        count += 1
        while held and held[0][0] <= count:
            writer.write(header[:8] + held.pop(0)[1])
        rest = header[8:] + packet
        chance = random.random()
        if chance < 0.005:
            held.append((count + 20, rest))
        elif chance < 0.015 and late is None:
            late = rest
        else:
            writer.write(header[:8] + rest)
            if late is not None:
                writer.write(header[:8] + late)
                late = None
            if chance < 0.025:
                writer.write(header[:8] + rest)
    for _, rest in held:
        writer.write(header[:8] + rest if len(header) >= 8 else b"")
