"""What executors do: each task runs the sniffer that the job brings along, and puts what it made where all machines find it.

A file's name says what is in it. Whoever makes it again, after a failure or because the first try is slow, writes the same under the same
name, so that it does not matter how often a task runs, nor which try is the first to end.
"""

import ctypes
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from pyspark import SparkFiles, TaskContext

from storage import Capture, Place

# What `sniffer CAPTURE --partial FILE` prints of a partial.
COUNTS = re.compile(r"(?P<packets>\d+) packets, (?P<kept>\d+) of them kept as they were captured$", re.MULTILINE)
# The start and the end of a partial: docs/partials.md has the format.
MAGIC = b"SNIFPART"
FOOTER_LENGTH = 28
# Of Linux: a process is sent a signal when its parent ends.
PR_SET_PDEATHSIG = 1


class Interrupted(Exception):
    """The program was ended from outside, or could not be started: another try may do better."""


class Refused(Exception):
    """The program says that it cannot be done."""


@dataclass(frozen=True)
class Job:
    """What every task needs to know."""

    program: str
    # Of its bytes: another program may find something else.
    program_digest: str
    # Options that change what is found, which partials and reports share.
    options: tuple[str, ...]
    # Options that only say what is reported.
    report_options: tuple[str, ...]
    formats: tuple[str, ...]
    keys: tuple[str, ...]
    keys_digest: str
    output: Place
    # How often a task is tried, and how many cores it has.
    tries: int
    cores: int

    @property
    def partials(self) -> Place:
        return self.output / "partials"

    def shared_options(self) -> list[str]:
        return [*self.options, *(part for name in self.keys for part in ("--keys", SparkFiles.get(name)))]

    def run(self, arguments: list[str], folder: str) -> subprocess.CompletedProcess[str]:
        """Runs the program in a folder."""
        command = [SparkFiles.get(self.program), *arguments, "--jobs", str(self.cores), "--no-progress"]
        return run(command, folder)


def run(command: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder, which it does not outlive this process in."""
    # A key log that happens to be named on one machine would make a partial that fits no other.
    environment = {name: value for name, value in os.environ.items() if name != "SSLKEYLOGFILE"}
    try:
        outcome = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
    except OSError as error:
        raise Interrupted(f"{command[0]} cannot be started: {error}") from error
    if outcome.returncode < 0 or outcome.returncode > 128:
        raise Interrupted(f"{command[0]} was ended by a signal: {outcome.returncode}")
    return outcome


C_LIBRARY = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Spark ends the process of a try that it needs no more. What that runs would go on for nobody."""
    C_LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one task, where executors have room: Spark takes it away with the executor, if nothing else does."""
    room = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return tempfile.TemporaryDirectory(prefix="sniffer-", dir=room if os.path.isdir(room) else None)


@dataclass(frozen=True)
class Outcome:
    """What became of a capture."""

    capture: Capture
    point: str
    # analyzed; damaged: what could be read is in the report; nothing of it is in the report: failed, repeated or passed over.
    status: str
    message: str = ""
    packets: int = 0
    kept_packets: int = 0
    partial: str = ""
    # The partial without its rows and packets: it tells whether others are of the same packets.
    head: bytes = b""


def key(parts: Iterable[object]) -> str:
    """A name for what is made of these."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def head_of(partial: Place) -> bytes:
    """A partial as one of a capture in which nothing is."""
    with partial.system.open_input_file(partial.path) as file:
        footer = file.read_at(FOOTER_LENGTH, file.size() - FOOTER_LENGTH)
        if footer[20:] != MAGIC:
            raise OSError(f"{partial.path}: not a whole partial")
        length = int.from_bytes(footer[8:12], "little")
        head = file.read_at(length, file.size() - FOOTER_LENGTH - length)
    return MAGIC + head + bytes(8) + footer[8:12] + zlib.crc32(head).to_bytes(4, "little") + footer[16:]


def make_partial(job: Job, outcome: Outcome, keeps_packets: bool = False) -> Outcome:
    """Makes the partial of a capture. What keeps this machine from it is tried again, on another one if Spark can; the last try says
    what is wrong, so that the other captures go on."""
    try:
        return made_partial(job, outcome, ["--keep-packets"] if keeps_packets else [])
    except (OSError, Interrupted) as error:
        context = TaskContext.get()
        if context is not None and context.attemptNumber() + 1 < job.tries:
            raise
        return replace(outcome, status="failed", message=str(error), partial="")


def made_partial(job: Job, outcome: Outcome, more: list[str]) -> Outcome:
    capture = outcome.capture
    name = key([capture.name, capture.size, capture.modified, job.program_digest, *job.options, job.keys_digest, *more])
    partial, note = job.partials / f"{name}.partial", job.partials / f"{name}.json"
    # The note comes last: where it is, the partial is whole.
    if note.exists and partial.exists:
        return replace(outcome, **json.loads(note.read()), partial=partial.path, head=head_of(partial))
    with scratch() as folder:
        # The report calls captures as they are called where they lie.
        path = capture.place.fetch(folder, capture.local_name)
        made = os.path.join(folder, "made.partial")
        name_here = capture.local_name if path.startswith(folder + os.sep) else path
        ran = job.run([name_here, "--partial", made, *job.shared_options(), *more], folder)
        message = ran.stderr.strip().replace(folder + os.sep, "")
        counts = COUNTS.search(ran.stdout)
        packets, kept = (int(counts["packets"]), int(counts["kept"])) if counts else (0, 0)
        if not os.path.exists(made) or (ran.returncode and not packets):
            passed_over = "not a capture file" in message and not capture.is_named
            return replace(outcome, status="passed over" if passed_over else "failed", message=message or "no partial was made")
        status = "damaged" if ran.returncode else "analyzed"
        found: dict[str, Any] = {"status": status, "message": message, "packets": packets, "kept_packets": kept}
        partial.store(made)
        said = os.path.join(folder, "note.json")
        with open(said, "w", encoding="utf-8") as file:
            json.dump(found, file)
        note.store(said)
        return replace(outcome, **found, partial=partial.path, head=head_of(partial))


def fetched(job: Job, partials: list[str], folder: str) -> list[str]:
    """Paths of this machine with partials."""
    return [Place(job.output.system, path).fetch(folder, f"{index}.partial") for index, path in enumerate(partials)]


def join(job: Job, partials: list[str]) -> str:
    """Puts partials together to one, and returns its path."""
    if len(partials) == 1:
        return partials[0]
    joined = job.partials / f"{key(map(os.path.basename, partials))}.partial"
    if not joined.exists:
        with scratch() as folder:
            made = os.path.join(folder, "made.partial")
            ran = job.run(["merge", *fetched(job, partials, folder), "--partial", made, "--quiet"], folder)
            if ran.returncode:
                raise Refused(ran.stderr.strip())
            joined.store(made)
    return joined.path


@dataclass(frozen=True)
class Report:
    """What came of the report of a capture point."""

    point: str
    status: int
    summary: str
    faults: str


def report(job: Job, point: str, partials: list[str]) -> Report:
    """Writes the report of a capture point."""
    with scratch() as folder:
        made, tables = os.path.join(folder, "report"), os.path.join(folder, "tables")
        formats = ",".join(dict.fromkeys([*job.formats, "parquet"]))
        ran = job.run(
            ["merge", *fetched(job, partials, folder), "-o", made, "--format", formats, *job.shared_options(), *job.report_options], folder,
        )
        if os.path.isdir(made):
            take_tables(made, tables, point, leaves="parquet" in job.formats)
            (job.output / "tables").store_folder(tables)
            (job.output / "report" / point if point else job.output / "report").store_folder(made)
        # Where the files are now, the job says itself.
        summary = re.sub(r"^wrote .*\n(  .*\n)*", "", ran.stdout, flags=re.MULTILINE)
        return Report(point, ran.returncode, summary, ran.stderr)


def take_tables(made: str, tables: str, point: str, leaves: bool) -> None:
    """Takes the Parquet files of a report into a folder for each table, with a folder for each capture point in it, as Spark and others
    read them. `leaves` says whether they stay in the report, too."""
    for name in sorted(os.listdir(made)):
        table, suffix = os.path.splitext(name)
        if suffix != ".parquet":
            continue
        folder = os.path.join(tables, table, *([f"point={point}"] if point else []))
        os.makedirs(folder)
        (os.link if leaves else os.rename)(os.path.join(made, name), os.path.join(folder, name))
