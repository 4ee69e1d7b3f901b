"""Applies what a busy machine does to its own capture: of 1,000 packets 2 are gone for good, 10 come 2 to 12 packets late, 8 come
twice. The rates can be given. Seeded, and the times stay in order: what is late has the time of the place where it comes.

    lose.py SOURCE TARGET [LOST [LATE [TWICE]]]      in percent; 0.2, 1 and 0.8 unless given
"""
import heapq
import random
import struct
import sys

random.seed(11)
source, target = sys.argv[1:3]
lost, late, twice = (float(rate) / 100 for rate in (sys.argv[3:6] + ["0.2", "1", "0.8"][len(sys.argv) - 3:]))
held = []  # (due, number, packet)
number = 0
with open(source, "rb", buffering=1 << 20) as reader, open(target, "wb", buffering=1 << 20) as writer:
    writer.write(reader.read(24))
    time = b""
    while True:
        header = reader.read(16)
        if len(header) < 16:
            break
        packet = header[8:] + reader.read(struct.unpack("<I", header[8:12])[0])
        number += 1
        time = header[:8]
        while held and held[0][0] <= number:
            writer.write(time + heapq.heappop(held)[2])
        chance = random.random()
        if chance < lost:
            continue
        if chance < lost + late:
            heapq.heappush(held, (number + random.randint(2, 12), number, packet))
            continue
        writer.write(time + packet)
        if chance < lost + late + twice:
            writer.write(time + packet)
    for _, _, packet in sorted(held):
        writer.write(time + packet)
