#!/usr/bin/env python3
"""Analyzes thousands of captures on a Spark cluster, and reports what one run over all of them would report.

    spark-submit scale/sniffer_job.py CAPTURE... --output PLACE --program PATH

Executors make a partial of each capture, with the program that the job brings along. Partials are put together as a tree, and the last
task writes the report. README.md in this folder says more.
"""

import argparse
import csv
import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from urllib.parse import quote

from pyspark import SparkContext
from pyspark.sql import SparkSession

from storage import Place, captures
from tasks import Job, Outcome, Report, join, make_partial, report, run

# What tells the output of an earlier run from a folder of somebody else.
MARKER = ".sniffer-job"
# Partials that one task puts together.
FAN_IN = 32
# How a merge says that it needs the packets of a capture, and that the packets of two partials are the same: docs/partials.md.
NEEDS_PACKETS = re.compile(r": make it again with --keep-packets from (?P<capture>.*)$", re.MULTILINE)
REPEATED = re.compile(r"(?P<later>\d+)\.partial: has the same capture as (?P<earlier>\d+)\.partial:")


def points(names: list[str], rule: str | None) -> list[str]:
    """The capture point of each capture, as it is in paths: empty without a rule."""
    if rule is None:
        return [""] * len(names)
    if rule == "folder":
        folders = [os.path.dirname(name) for name in names]
        top = os.path.commonpath(folders)
        found = [os.path.relpath(folder, top) for folder in folders] if len(set(folders)) > 1 else [os.path.basename(top)] * len(names)
    else:
        matches = [re.search(rule, name) for name in names]
        found = [(match[1 if match.re.groups else 0] or "") if match else "other" for match in matches]
    return [path_of(point) for point in found]


def path_of(point: str) -> str:
    """A point's name as a part of a path: no two have the same, and none leads elsewhere."""
    return quote(point, safe="") if point.strip(".") else "%2E" * len(point) or "none"


def chosen(program: str, outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes, without the partials of captures whose packets another one of the same point has, too."""
    outcomes = list(outcomes)
    for point in {outcome.point for outcome in outcomes}:
        left = [index for index, outcome in enumerate(outcomes) if outcome.partial and outcome.point == point]
        with tempfile.TemporaryDirectory(prefix="sniffer-") as folder:
            for index in left:
                with open(os.path.join(folder, f"{index}.partial"), "wb") as file:
                    file.write(outcomes[index].head)
            while len(left) > 1:
                ran = run([program, "merge", *(f"{index}.partial" for index in left), "--partial", "all", "--quiet"], folder)
                match = REPEATED.search(ran.stderr)
                if not match:
                    break
                earlier, later = int(match["earlier"]), int(match["later"])
                message = f"has the packets of {outcomes[earlier].capture.name}"
                outcomes[later] = replace(outcomes[later], status="repeated", message=message, partial="")
                left.remove(later)
    return outcomes


def merge_as_tree(context: SparkContext, job: Job, partials: dict[str, list[str]]) -> dict[str, list[str]]:
    """Puts the partials of each point together, until one task can read all that are left."""
    while any(len(paths) > FAN_IN for paths in partials.values()):
        groups = [
            (point, paths[start : start + FAN_IN]) for point, paths in sorted(partials.items()) for start in range(0, len(paths), FAN_IN)
        ]
        joined = context.parallelize(groups, len(groups)).map(lambda group: (group[0], join(job, group[1]))).collect()
        partials = {point: [path for name, path in joined if name == point] for point in partials}
    return partials


def reports(context: SparkContext, job: Job, outcomes: list[Outcome]) -> list[Report]:
    """Merges the partials, and writes a report for each capture point."""
    partials: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.partial:
            partials.setdefault(outcome.point, []).append(outcome.partial)
    merged = sorted(merge_as_tree(context, job, partials).items())
    return context.parallelize(merged, max(len(merged), 1)).map(lambda item: report(job, *item)).collect()


def analyze(context: SparkContext, job: Job, program: str, work: list[Outcome]) -> tuple[list[Outcome], list[Report]]:
    """Makes the partials and the reports."""

    def made(outcomes: list[Outcome], keeps_packets: bool = False) -> list[Outcome]:
        return context.parallelize(outcomes, len(outcomes)).map(lambda outcome: make_partial(job, outcome, keeps_packets)).collect()

    outcomes = chosen(program, made(work))
    kept: set[str] = set()
    while True:
        results = reports(context, job, outcomes)
        # A partial that fits no other without all of its packets is made again with them.
        named = {match["capture"] for result in results for match in NEEDS_PACKETS.finditer(result.faults)}
        again = {outcome.capture.name: outcome for outcome in outcomes if outcome.partial and outcome.capture.local_name in named}
        if not again.keys() - kept:
            return outcomes, results
        kept |= again.keys()
        again |= {outcome.capture.name: outcome for outcome in made(list(again.values()), keeps_packets=True)}
        outcomes = [again.get(outcome.capture.name, outcome) for outcome in outcomes]


def write_listing(job: Job, outcomes: list[Outcome]) -> None:
    """Writes captures.csv: what became of each capture."""
    with tempfile.TemporaryDirectory(prefix="sniffer-") as folder:
        path = os.path.join(folder, "captures.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["capture", "point", "status", "bytes", "packets", "kept_packets", "message"])
            for outcome in outcomes:
                capture = outcome.capture
                rows.writerow(
                    [capture.name, outcome.point, outcome.status, capture.size, outcome.packets, outcome.kept_packets, outcome.message]
                )
        (job.output / "captures.csv").store(path)


def conclude(job: Job, outcomes: list[Outcome], results: list[Report]) -> int:
    """Says what was found. Returns the exit status: 0 all well, 1 something is missing or damaged, 2 a ledger is not balanced."""
    write_listing(job, outcomes)
    for result in results:
        print(f"capture point {result.point}\n" if result.point else "", result.summary, sep="", end="")
        sys.stderr.write(result.faults)
    for outcome in outcomes:
        if outcome.status in ("failed", "repeated"):
            print(f"{outcome.capture.name}: {outcome.status}: {outcome.message}", file=sys.stderr)
    counts = Counter(outcome.status for outcome in outcomes)
    print(f"reports: {(job.output / 'report').path}, tables: {(job.output / 'tables').path}")
    said = ", ".join(f"{counts[status]} {status}" for status in ("analyzed", "damaged", "failed", "repeated", "passed over"))
    print(f"captures: {said}: {(job.output / 'captures.csv').path}")
    lost = counts["damaged"] + counts["failed"] + counts["repeated"] > 0 or not results
    return max([result.status for result in results] + [int(lost)])


def make_room(output: Place) -> None:
    """Takes away the reports of an earlier run, so that nobody reads a file that this run does not write. Partials stay: what was made
    of a capture need not be made again."""
    for folder in (output / "report", output / "tables"):
        if folder.is_folder:
            if not (output / MARKER).exists:
                sys.exit(f"{folder.path}: there is a folder already, and not of this job")
            folder.system.delete_dir(folder.path)
    with tempfile.NamedTemporaryFile() as empty:
        (output / MARKER).store(empty.name)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("captures", nargs="*", metavar="CAPTURE", help="files, folders, patterns in quotes; paths or URIs")
    parser.add_argument("--list", metavar="FILE", help="a file with more of these, one a line")
    parser.add_argument(
        "--output", required=True, metavar="PLACE", help="folder for reports, tables and partials: a path or URI that all machines reach")
    parser.add_argument("--program", default="sniffer", metavar="PATH", help="the sniffer that executors run (default: the one in PATH)")
    parser.add_argument(
        "--point", metavar="RULE",
        help="captures of different points are not put together: 'folder', or a regular expression, whose first group names the point")
    parser.add_argument("--format", default="csv,html", help="formats of the report folder (default: %(default)s)")
    parser.add_argument("--keys", action="append", default=[], metavar="FILE", help="a key log, which the job brings along")
    parser.add_argument("--options", default="", help="options of sniffer that change what is found, as in --options='--idle-timeout 60'")
    parser.add_argument("--report-options", default="", help="options of sniffer merge, as in --report-options='--template'")
    return parser.parse_args()


def digest(paths: list[str]) -> str:
    """What tells files from others."""
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            found.update(hashlib.sha256(file.read()).digest())
    return found.hexdigest()


def job_of(given: argparse.Namespace, program: str, context: SparkContext) -> Job:
    """Hands files out to the executors, and says what they have to know."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in [program, *given.keys]:
        context.addFile(path)
    for name in ("storage.py", "tasks.py"):
        context.addPyFile(os.path.join(here, name))
    settings = context.getConf()
    # Threads of this process try a task once, unless `local[2,4]` says otherwise; clusters do it four times.
    threads = re.fullmatch(r"local(?:\[[^,\]]*(?:,\s*(\d+))?\])?", context.master or "")
    return Job(
        program=os.path.basename(program), program_digest=digest([program]), options=tuple(shlex.split(given.options)),
        report_options=tuple(shlex.split(given.report_options)), formats=tuple(given.format.split(",")),
        keys=tuple(map(os.path.basename, given.keys)), keys_digest=digest(given.keys), output=Place.of(given.output),
        tries=int(threads[1] or 1) if threads else int(settings.get("spark.task.maxFailures", "4")),
        cores=int(settings.get("spark.task.cpus", "1")),
    )


def main() -> int:
    given = arguments()
    names = list(given.captures)
    if given.list:
        with open(given.list, encoding="utf-8") as file:
            names += [line.rstrip("\r\n") for line in file if line.strip()]
    program = shutil.which(given.program)
    if program is None:
        print(f"{given.program}: no such program", file=sys.stderr)
        return 64
    if len(set(map(os.path.basename, given.keys))) < len(given.keys):
        print("--keys: no two key logs can have the same name", file=sys.stderr)
        return 64
    found, missing = captures(names)
    for name in missing:
        print(f"{name}: no capture is there", file=sys.stderr)
    if not found:
        print("there is nothing to analyze", file=sys.stderr)
        return 1
    make_room(Place.of(given.output))
    spark = SparkSession.builder.appName("sniffer").getOrCreate()
    try:
        program = os.path.abspath(program)
        job = job_of(given, program, spark.sparkContext)
        names = [capture.name for capture in found]
        work = [Outcome(capture, point, "") for capture, point in zip(found, points(names, given.point))]
        outcomes, results = analyze(spark.sparkContext, job, program, work)
    finally:
        spark.stop()
    return max(conclude(job, outcomes, results), int(bool(missing)))


if __name__ == "__main__":
    sys.exit(main())
