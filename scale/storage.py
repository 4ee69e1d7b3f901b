"""Files where the cluster has them: on a file system that every machine sees, or in an object store.

Every access goes through the file systems of Apache Arrow, since executors have them without a JVM of their own. What has a path on
this machine is never copied.
"""

import os
import re
import shutil
import uuid
from dataclasses import dataclass

from pyarrow import fs

WILDCARD = re.compile(r"[*?]")
COPIED_AT_ONCE = 8 << 20
# File systems on which a file gets its name when it is whole.
PLACES = {"local", "s3", "gcs", "abfs"}


@dataclass(frozen=True)
class Place:
    """A file or folder: a file system and a path in it."""

    system: fs.FileSystem
    path: str

    @staticmethod
    def of(name: str) -> "Place":
        """The place that a path or a URI names. A path is one of this machine."""
        if "://" not in name:
            return Place(fs.LocalFileSystem(), os.path.abspath(name))
        system, path = fs.FileSystem.from_uri(name)
        if system.type_name not in PLACES:
            raise ValueError(f"{name}: captures and reports are on file systems that all machines have, or in object stores")
        return Place(system, path)

    @property
    def is_local(self) -> bool:
        """Whether programs can open the path."""
        return isinstance(self.system, fs.LocalFileSystem)

    @property
    def exists(self) -> bool:
        """Whether a file is there."""
        return self.system.get_file_info(self.path).type == fs.FileType.File

    @property
    def is_folder(self) -> bool:
        return self.system.get_file_info(self.path).type == fs.FileType.Directory

    def __truediv__(self, name: str) -> "Place":
        return Place(self.system, f"{self.path.rstrip('/')}/{name}")

    def read(self) -> bytes:
        """The bytes of a small file."""
        with self.system.open_input_stream(self.path) as stream:
            return stream.read()

    def fetch(self, folder: str, name: str) -> str:
        """A path of this machine with the file's bytes: the file itself, or a copy called `name` in `folder`."""
        if self.is_local:
            return self.path
        copy = os.path.join(folder, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with self.system.open_input_stream(self.path) as source, open(copy, "wb") as target:
            shutil.copyfileobj(source, target, COPIED_AT_ONCE)
        return copy

    def store(self, path: str) -> None:
        """Puts a file of this machine here. It has its name only when it is whole, whoever else stores the same one meanwhile."""
        if not self.is_local:
            # An object is there when its upload is complete.
            with open(path, "rb") as source, self.system.open_output_stream(self.path) as target:
                shutil.copyfileobj(source, target, COPIED_AT_ONCE)
            return
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        waiting = f"{self.path}.{uuid.uuid4().hex}.part"
        try:
            # Partials are for their owner alone, from the first byte on.
            with open(path, "rb") as source, open(os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
                shutil.copyfileobj(source, target, COPIED_AT_ONCE)
            shutil.copymode(path, waiting)
            os.replace(waiting, self.path)
        finally:
            if os.path.exists(waiting):
                os.remove(waiting)

    def store_folder(self, folder: str) -> None:
        """Puts the files of a folder of this machine here, and of the folders in it."""
        for parent, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(parent, name)
                (self / os.path.relpath(path, folder)).store(path)


@dataclass(frozen=True)
class Capture:
    """A file that may be a capture: its name for people, its place, and what tells it from one that was there under that name before."""

    name: str
    place: Place
    size: int
    modified: int
    # Whether it was named by itself. In folders and patterns, what is no capture is passed over.
    is_named: bool

    @property
    def local_name(self) -> str:
        """What it is called on the machine that reads it, and so in reports."""
        return self.name.replace("://", "/")


def captures(names: list[str]) -> tuple[list[Capture], list[str]]:
    """The files that names of files, folders and patterns stand for, each once, by name; and the names that stand for nothing."""
    found: dict[str, Capture] = {}
    missing = []
    for name in names:
        files = captures_of(name)
        if not files:
            missing.append(name)
        for capture in files:
            if capture.is_named or capture.name not in found:
                found[capture.name] = capture
    return [found[name] for name in sorted(found)], missing


def captures_of(name: str) -> list[Capture]:
    """The files that one name stands for: a file, the files in a folder, or those that are like a pattern, as sniffer itself has it."""
    # What stands behind the question mark of a URI says how its store is reached.
    path, mark, access = name.partition("?") if "://" in name else (name, "", "")
    scheme = path[: path.index("://") + 3] if "://" in name else ""

    def place(path: str) -> Place:
        return Place.of((path or ".") + mark + access)

    def capture(info: fs.FileInfo, is_named: bool) -> Capture:
        spelled = info.path if whole.is_local else scheme + info.path
        return Capture(spelled, Place(whole.system, info.path), info.size or 0, info.mtime_ns or 0, is_named)

    # Of a store, the part before the first wildcard can be opened whatever comes behind it.
    wildcard = WILDCARD.search(path)
    base = path[: path.rfind("/", 0, wildcard.start()) + 1] if wildcard else path
    whole = place(base)
    if wildcard and not scheme and os.path.isfile(path):
        base, whole, wildcard = path, place(path), None
    info = whole.system.get_file_info(whole.path)
    if info.type == fs.FileType.File:
        return [capture(info, is_named=True)]
    if info.type == fs.FileType.NotFound:
        return []
    pattern = path[len(base) :] if wildcard else "*"
    matches = re.compile(re.escape(whole.path.rstrip("/") + "/") + translated(pattern), re.DOTALL).fullmatch
    selector = fs.FileSelector(whole.path, recursive="/" in pattern or "**" in pattern)
    return [
        capture(info, is_named=False)
        for info in whole.system.get_file_info(selector)
        if info.type == fs.FileType.File and matches(info.path)
    ]


def translated(pattern: str) -> str:
    """A pattern of paths as a regular expression: * is any part of a name, ? one letter of it, ** reaches into folders, too. What is
    hidden is matched by none of them."""
    visible = r"(?!(?<=/)\.)"
    name = visible + "[^/]*"
    meaning = {"**/": f"(?:{name}/)*", "**": f"(?:{name}/)*{name}", "*": name, "?": visible + "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return "".join(meaning.get(part, re.escape(part)) for part in parts)
