"""Contents that decode to far more than they are, written bit by bit: no encoder is asked."""

import struct


class Bits:
    """Bits from the lowest on, as RFC 7932 §1.4 has them."""

    def __init__(self):
        self.value, self.count = 0, 0

    def add(self, value, count):
        self.value |= value << self.count
        self.count += count

    def octets(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def brotli_zeros(pieces, window_bits=16):
    """`pieces` times 16 MiB of zeros as a stream of RFC 7932: some 13 octets for each.

    Each meta-block has one command: a zero as it is, and a copy of 16,777,215 octets from one octet before."""
    whole = Bits()
    whole.add(0, 1) if window_bits == 16 else whole.add((window_bits - 17) << 1 | 1, 4)
    block = Bits()
    block.add(0, 1)  # not the last one
    block.add(2, 2)  # its length has six nibbles
    block.add((1 << 24) - 1, 24)
    block.add(0, 1)  # compressed
    block.add(0, 3)  # one type of block of each kind
    block.add(0, 6)  # distances without postfix or direct codes
    block.add(0, 2)  # context mode
    block.add(0, 2)  # one tree of literals, one of distances
    for symbol, bits in ((0, 8), (399, 10), (16, 6)):  # one symbol each, which then takes no bits
        block.add(1, 2)
        block.add(0, 2)
        block.add(symbol, bits)
    block.add((1 << 24) - 1 - 2118, 24)  # the copy's length, beyond what its code says
    block.add(0, 1)  # the distance: 1
    # In one step: adding to a number of 100,000 bits again and again takes its time.
    value = sum(block.value << block.count * number for number in range(pieces))
    whole.add(value, block.count * pieces)
    whole.add(3, 2)  # the last one, empty
    return whole.octets()


def zstandard_head(window_log):
    """The header of a frame of RFC 8878 that says nothing but its window."""
    return struct.pack("<IBB", 0xFD2FB528, 0, (window_log - 10) << 3)


def zstandard_zeros(pieces, window_log=17):
    """`pieces` times 128 KiB of zeros: a block of four octets for each, which says "so many of this octet"."""
    size = 1 << 17
    block = struct.pack("<I", size << 3 | 1 << 1)[:3] + b"\0"
    last = struct.pack("<I", size << 3 | 1 << 1 | 1)[:3] + b"\0"
    return zstandard_head(window_log) + block * (pieces - 1) + last


def zstandard_raw(octets, window_log, ends=True):
    """`octets` as they are, in a frame that asks for a window: decoding writes them to it."""
    blocks = b""
    for start in range(0, len(octets), 1 << 17):
        part = octets[start:start + (1 << 17)]
        is_last = ends and start + len(part) == len(octets)
        blocks += struct.pack("<I", len(part) << 3 | is_last)[:3] + part
    return zstandard_head(window_log) + blocks
