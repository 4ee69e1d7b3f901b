"""Prepares what packaging/link links, so that the linker can leave out what sniffer does not use.

usage: parts.py OBJECTS RUNTIME OUT

OBJECTS is the list of the release build's objects (Objects.LinkFileList), RUNTIME the
toolchain's swift_static. OUT gets:

  objects           a list of the objects, ours and those of packages
  runtime           the runtime, with archives of its own

Swift marks the code of public functions as to be retained, for libraries that others load. In a program nobody can ask for a
function but by a relocation, so that the mark is cleared here, and unused functions go away with --gc-sections. Marks of
data stay: the runtime looks through sections of metadata as a whole.
"""

import pathlib
import struct
import sys

EXECUTABLE, RETAINED = 0x4, 0x200000  # SHF_EXECINSTR, SHF_GNU_RETAIN


def let_go(octets, start):
    """Clears the mark of each section of code of the object that begins at `start`. Others than 64-bit ELF stay as they are."""
    if octets[start:start + 6] != b"\x7fELF\x02\x01":
        return
    table = struct.unpack_from("<Q", octets, start + 0x28)[0]
    size, count = struct.unpack_from("<HH", octets, start + 0x3A)
    if count == 0 and table:  # So many sections that the first one's size is their number.
        count = struct.unpack_from("<Q", octets, start + table + 0x20)[0]
    for section in range(start + table, start + table + count * size, size):
        flags = struct.unpack_from("<Q", octets, section + 8)[0]
        if flags & EXECUTABLE and flags & RETAINED:
            struct.pack_into("<Q", octets, section + 8, flags & ~RETAINED)


def copied(source, target):
    """Copies an object, or an archive of them, without marks."""
    octets = bytearray(source.read_bytes())
    if octets[:8] == b"!<arch>\n":
        place = 8
        while place < len(octets):
            length = int(octets[place + 48:place + 58])
            let_go(octets, place + 60)
            place += 60 + length + length % 2
    else:
        let_go(octets, 0)
    target.write_bytes(octets)


def main():
    listed, runtime, out = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    objects = []
    for number, line in enumerate(listed.read_text().splitlines()):
        path = pathlib.Path(line.strip("'\""))
        # Objects of different targets have the same names. Names with spaces would be several in the list.
        copy = out / f"{number}-{path.name.replace(' ', '-')}"
        copied(path, copy)
        objects.append(str(copy))
    # No archive is made of those of packages: what is asked for weakly would not be taken out of it.
    (out / "objects").write_text("\n".join(objects) + "\n")
    libraries = out / "runtime" / "linux"
    libraries.mkdir(parents=True)
    for path in runtime.iterdir():
        if path.name != "linux":
            (libraries.parent / path.name).symlink_to(path)
    for path in (runtime / "linux").iterdir():
        if path.suffix == ".a":
            copied(path, libraries / path.name)
        else:
            (libraries / path.name).symlink_to(path)
    print(f"parts.py: {len(objects)} objects")


if __name__ == "__main__":
    main()
