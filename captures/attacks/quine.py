"""A gzip file that decompresses to itself, after Russ Cox's "Zip Files All The Way Down" (2010).

Everything in it is made of units of five octets: a stored block's header (`literal`), a block that repeats the last four units
(`REPEAT`), the header with a name (three units), and the last block with the trailer (two). Each step below prints what the file
has had until then, or is about to have."""

import struct
import zlib

HEADER = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"q.gz\0"


def literal(units):
    """The header of a stored block of so many units."""
    return struct.pack("<BHH", 0, 5 * units, 5 * units ^ 0xFFFF)


def repeat():
    """A block with two matches of length 10 at distance 20, fixed codes (RFC 1951 3.2.6): 40 bits."""
    # Block header; length 10 is code 264; distance 20 is code 8 and 3 extra bits; end of block.
    match = "0001000" + "01000" + "110"
    bits = "0" + "10" + match + match + "0000000"
    return bytes(int(bits[start:start + 8][::-1], 2) for start in range(0, 40, 8))


def assembled(checksum):
    four, again, nothing = literal(4), repeat(), literal(0)
    # The last block is empty; 120 octets in all.
    end = b"\x03\0" + struct.pack("<II", checksum, 120)
    return b"".join([
        HEADER, four, HEADER, four,  # prints HEADER four
        again,  # prints it again
        four, again, four, again, four,  # prints again four again four
        again,  # prints that again: one unit ahead of the file
        four, again, nothing, end,  # prints again nothing end
        again,  # prints that again: three units ahead of the file, which are its end
        nothing, end,
    ])


def quine():
    """The file: its checksum is in it twice, and has to be that of all of it.

    A CRC is linear but for a constant, so that 32 equations for its 32 bits are solved (Gaussian elimination modulo 2)."""
    constant = zlib.crc32(assembled(0))
    rows = []
    for bit in range(32):
        row = sum(((zlib.crc32(assembled(1 << column)) ^ constant ^ 1 << column) >> bit & 1) << column for column in range(32))
        rows.append(row | (constant >> bit & 1) << 32)
    pivots = {}
    for column in range(32):
        index = next((i for i in range(32) if i not in pivots.values() and rows[i] >> column & 1), None)
        if index is None:
            raise ValueError("no solution with this header")
        pivots[column] = index
        for other in range(32):
            if other != index and rows[other] >> column & 1:
                rows[other] ^= rows[index]
    return assembled(sum((rows[index] >> 32 & 1) << column for column, index in pivots.items()))
