"""Writes the part of ICU's data that sniffer uses, as assembler source: one symbol of the same name.

usage: icu_data.py OBJECT OUT.s

OBJECT is ICU's packaged data, icu_packaged_data.cpp.o of the toolchain's lib_FoundationICU.a. Foundation needs ICU's data to be
there, and has 34 MB of it: names of languages, currencies and units in some 800 locales, converters for old encodings, rules
of collation and of line breaks. Sniffer formats and compares nothing by locale: of all of these its runs open zoneinfo64,
timezoneTypes and keyTypeData alone (seen with a debugger). What stays is these, properties and normalization of Unicode,
what names time zones and calendars, and the locales root and en. A locale that is not there falls back to root, and what is
asked for and not there is an error of ICU's, as its documentation says. The standard library of Python suffices, and
binutils' objcopy.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# Each is held against the name behind the package's: `root.res`, `zone/en.res`.
KEPT = re.compile(
    r"""
    (?!unames)[^/]+\.icu | (uts46|nfkc(_\w+)?)\.nrm                           # Unicode itself
    | (zoneinfo64|timezoneTypes|metaZones|windowsZones|keyTypeData)\.res       # time zones and calendars
    | (pool|res_index|root|en(_US|_US_POSIX|_001)?)\.res
    | (supplementalData|metadata|numberingSystems|plurals)\.res               # what locales are
    """,
    re.VERBOSE)


def items(package):
    """The header of a package, and its items: names and octets, in their order."""
    header = struct.unpack_from("<H", package, 0)[0]
    if package[2:4] != b"\xda\x27" or package[12:16] != b"CmnD":
        raise SystemExit("icu_data.py: this is no package of ICU's data")
    count = struct.unpack_from("<I", package, header)[0]
    places = [struct.unpack_from("<II", package, header + 4 + 8 * index) for index in range(count)]
    ends = [place for _, place in places[1:]] + [len(package) - header]
    found = []
    for (name, start), end in zip(places, ends):
        name = package[header + name:package.index(b"\0", header + name)]
        found.append((name, package[header + start:header + end]))
    return package[:header], found


def aligned(count):
    return -count % 16


def packed(header, kept):
    """A package of some of the items, in the same order: ICU looks for them by bisection."""
    table = 4 + 8 * len(kept)
    names, name_places = b"", []
    for name, _ in kept:
        name_places.append(table + len(names))
        names += name + b"\0"
    start = table + len(names)
    start += aligned(len(header) + start)
    data, toc = b"", struct.pack("<I", len(kept))
    for (_, octets), place in zip(kept, name_places):
        toc += struct.pack("<II", place, start + len(data))
        data += octets + bytes(aligned(len(octets)))
    return header + toc + names + bytes(start - table - len(names)) + data


def main():
    source, out = sys.argv[1:]
    symbols = subprocess.run(["nm", source], check=True, capture_output=True, text=True).stdout
    symbol = re.search(r"\bicudt\d+_dat\b", symbols).group()
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder, "data")
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", source, raw], check=True)
        header, found = items(raw.read_bytes())
    kept = [(name, octets) for name, octets in found if KEPT.fullmatch(name.decode().split("/", 1)[1])]
    package = pathlib.Path(out).with_suffix(".dat")
    package.write_bytes(packed(header, kept))
    pathlib.Path(out).write_text(
        f'.section .rodata\n.globl {symbol}\n.type {symbol}, @object\n.balign 16\n{symbol}:\n.incbin "{package.resolve()}"\n'
        f".size {symbol}, . - {symbol}\n.section .note.GNU-stack,\"\",@progbits\n")
    print(f"icu_data.py: {len(kept)} of {len(found)} items, {package.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
