"""Prepares what packaging/link links, so that the linker can leave out what sniffer does not use.

usage: parts.py OBJECTS SOURCES RUNTIME OUT

OBJECTS is the list of the release build's objects (Objects.LinkFileList), SOURCES the folder with a folder for each target of
ours, RUNTIME the toolchain's swift_static. OUT gets:

  ours              a list of our objects: all of them are linked
  libpackages.a     those of packages: an object that nobody asks for stays out
  runtime           the runtime, with archives of its own

Swift marks the code of public functions as to be retained, for libraries that others load. In a program nobody can ask for a
function but by a relocation, so that the mark is cleared here, and unused functions go away with --gc-sections. Marks of
data stay: the runtime looks through sections of metadata as a whole.
"""

import pathlib
import struct
import subprocess
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
    listed, sources, runtime, out = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    ours, theirs = [], []
    for number, line in enumerate(listed.read_text().splitlines()):
        path = pathlib.Path(line.strip("'\""))
        target = next(part for part in path.parts if part.endswith(".build") and part != ".build").removesuffix(".build")
        # Objects of different targets have the same names.
        copy = out / f"{number}-{path.name}"
        copied(path, copy)
        (ours if (sources / target).is_dir() else theirs).append(str(copy))
    (out / "ours").write_text("\n".join(ours) + "\n")
    subprocess.run(["ar", "rcs", out / "libpackages.a", *theirs], check=True)
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
    print(f"parts.py: {len(ours)} objects of ours, {len(theirs)} of packages")


if __name__ == "__main__":
    main()
