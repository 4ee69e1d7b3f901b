#!/usr/bin/env python3
"""Rewrite a pcapng file without what it says about the machine that recorded it (hardware, operating system).

    plain_pcapng.py FILE     in place; packets, times and statistics stay as they are
"""
import struct, sys

DROP = {0x0A0D0D0A: {2, 3}, 0x00000001: {12, 15}}      # shb_hardware, shb_os; if_os, if_hardware
FIXED = {0x0A0D0D0A: 16, 0x00000001: 8}                # octets of the body before the options


def main(path):
    with open(path, "rb") as f:
        data = f.read()
    out, at = b"", 0
    assert data[8:12] == b"\x4d\x3c\x2b\x1a", "little-endian files only"
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        body = data[at + 8:at + length - 4]
        if kind in DROP:
            options, o, kept = body[FIXED[kind]:], 0, b""
            while o < len(options):
                code, size = struct.unpack_from("<HH", options, o)
                padded = 4 + (size + 3 & ~3)
                if code not in DROP[kind]:
                    kept += options[o:o + padded]
                o += padded
                if code == 0:
                    break
            body = body[:FIXED[kind]] + kept
        total = struct.pack("<I", len(body) + 12)
        out += struct.pack("<I", kind) + total + body + total
        at += length
    with open(path, "wb") as f:
        f.write(out)


main(sys.argv[1])
