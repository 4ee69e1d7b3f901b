#!/usr/bin/env python3
"""Run curl as the standard input says, and log what it measured.

    curl_lines.py LOG PREFIX  < lines

A line is the arguments of one transfer; an empty line ends a run of curl, so the transfers of one
paragraph share connections where HTTP allows it. Lines that start with # are comments, with @ are
settings of the whole run (@ENV NAME=VALUE, @PARALLEL: do not wait for this paragraph).
Each transfer gets the header field `X-Request: PREFIXn` and one line in the log (see witness.py).
"""
import os, shlex, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from curl_sessions import WRITE

log_path, prefix = sys.argv[1], sys.argv[2]
number, running = 0, []


def run(paragraph):
    global number
    command, environment, parallel = ["curl", "-q"], dict(os.environ), False
    first = True
    for line in paragraph:
        if line.startswith("@ENV "):
            name, value = line[5:].split("=", 1)
            environment[name] = value
            continue
        if line.startswith("@PARALLEL"):
            parallel = True
            continue
        number += 1
        if not first:
            command.append("--next")
        first = False
        arguments = shlex.split(line)
        command += ["-s", "-g", "-o", "/dev/null", "--max-time", "20", "-w", f"{prefix}{number}\\t{WRITE}"]
        if "--no-id" in arguments:
            arguments.remove("--no-id")
        else:
            command += ["-H", f"X-Request: {prefix}{number}"]
        command += arguments
    if first:
        return
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment)
    running.append(process)
    if not parallel:
        finish()


def finish():
    with open(log_path, "ab") as log:
        while running:
            process = running.pop(0)
            try:
                log.write(process.communicate(timeout=60)[0])
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            if process.returncode in (1, 2, 3, 26, 27):     # curl did not understand its arguments, or found no file
                sys.exit(f"curl_lines.py: curl failed: {process.args}")


paragraph = []
for line in sys.stdin.read().splitlines() + [""]:
    line = line.strip()
    if line.startswith("#"):
        continue
    if line:
        paragraph.append(line)
    elif paragraph:
        run(paragraph)
        paragraph = []
finish()
