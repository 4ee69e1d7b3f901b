"""Writes a man page for each command of a built sniffer, as its help describes it. Standard library only.

Usage: man_pages.py OUTDIR SNIFFER
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

EXIT_STATUS = [
    ("0", "All well."),
    ("1", "The input was damaged, or something could not be opened or written; what was read is reported."),
    ("2", "A threshold, a tolerance or a budget was exceeded, or the ledger does not balance."),
    ("64", "Wrong usage."),
    ("130, 143", "SIGINT or SIGTERM ended the reading of a capture; the part that was read is reported."),
    ("141", "The reader of standard output went away, as head does, in the middle of a report."),
]

# What each command is for, on captures of the project; a test runs them.
EXAMPLES = {
    "sniffer": [
        ("What each API of a capture costs, with the APIs by bytes and the ledger below:",
         "sniffer captures/demo.pcapng.gz --template"),
        ("A capture that is being made on another machine:",
         "ssh root@192.0.2.1 \"tcpdump -i br-lan -U -w - 'tcp port 80'\" | sniffer -"),
        ("The pages of all commands begin with that name:", "man sniffer-live"),
    ],
    "sniffer-analyze": [
        ("Tables for a spreadsheet, and a page to look at:",
         "sniffer captures/demo.pcapng.gz --template -o report --format csv,html"),
        ("Who pays, by registrable domain, for the traffic of one address:",
         "sniffer captures/demo.pcapng.gz --by domain --filter 'host 192.0.2.7'"),
        ("A database of all captures in a folder, and a question to it:",
         "sniffer captures/tls -q -o report --format sqlite\n"
         "sqlite3 report/report.sqlite 'SELECT host, ip_bytes FROM hosts ORDER BY ip_bytes DESC LIMIT 5'"),
        ("HTTPS, with the keys that one side wrote:",
         "sniffer captures/tls-nginx.pcapng --keys captures/tls-nginx.keys"),
    ],
    "sniffer-live": [
        ("A view of what passes an interface, until q is pressed:", "sudo sniffer live -i eth0"),
        ("Reports that are brought up to date each minute, and the packets beside them:",
         "sudo sniffer live -i eth0 -o report --interval 60 -w saved.pcapng"),
        ("The page in a browser, kept up to date while the run goes on; its address is printed:",
         "sudo sniffer live -i eth0 --page :8080"),
        ("The last gigabyte of packets, in ten files:",
         "sudo sniffer live -i eth0 -w ring.pcapng --rotate-size 100 --rotate-files 10"),
    ],
    "sniffer-top": [
        ("The APIs on an interface by what they cost now, until q is pressed; ? lists the keys:", "sudo sniffer top -i eth0"),
        ("Failed exchanges alone:", "sudo sniffer top -i eth0 --where 'status >= 400'"),
    ],
    "sniffer-verify": [
        ("Compare an app's log with the wire:",
         "sniffer verify captures/verify/requests/capture.pcap.gz --log captures/verify/requests/log.csv"),
        ("The HAR of a browser, with a table of every row:",
         "gzip -dc captures/verify/chromium/log.har.gz > app.har\n"
         "sniffer verify captures/verify/chromium/capture.pcap.gz --log app.har -o verified"),
        ("In a script: exit status 2 when the sum of the log is off by more than 5 %:",
         "sniffer verify captures/verify/requests/capture.pcap.gz --log captures/verify/requests/log.csv --tolerance 5%"),
    ],
    "sniffer-models": [
        ("What fourteen kinds of monitors would have said of this traffic, and how wrong they would have been:",
         "sniffer models captures/demo.pcapng.gz"),
        ("With a row for each message and each monitor:", "sniffer models captures/demo.pcapng.gz -q -o report"),
    ],
    "sniffer-merge": [
        ("Two captures, each analyzed by itself, and one report of both:",
         "sniffer captures/nginx-keepalive.pcap --partial one.partial\n"
         "sniffer captures/pipelining.pcap --partial two.partial\nsniffer merge one.partial two.partial -o report"),
        ("One partial of several:", "sniffer merge one.partial two.partial --partial both.partial"),
    ],
    "sniffer-diff": [
        ("What grew between two captures:",
         "sniffer captures/snaplen-96.pcap -q -o base\nsniffer captures/snaplen-300.pcap -q -o new\nsniffer diff base new"),
        ("The same for a comment in a code review:", "sniffer diff base new --format markdown"),
    ],
    "sniffer-budget": [
        ("Check APIs against limits; exit status 2 when one is exceeded:",
         "printf 'limits:\\n  - host: api.example.com\\n    ip_bytes: 1 MB\\n' > budget.yaml\n"
         "sniffer budget captures/demo.pcapng.gz --budget budget.yaml --template"),
        ("With a table of every check:",
         "sniffer budget captures/demo.pcapng.gz --budget budget.yaml --template -o report"),
    ],
    "sniffer-guide": [
        ("The ways to a capture and a key log of an iPhone:", "sniffer guide ios"),
        ("Those for which a USB cable and root are enough:", "sniffer guide android --with usb,root"),
    ],
    "sniffer-interfaces": [
        ("What this user may capture on:", "sniffer interfaces"),
        ("Then on one of them:", "sudo sniffer live -i eth0"),
    ],
    "sniffer-keys": [
        ("Which connections the keys of a file open, and why the rest cannot be opened:",
         "sniffer keys captures/demo.pcapng.gz --keys captures/demo.keys"),
        ("Without keys, what would have to be had:", "sniffer keys captures/tls-nginx.pcapng"),
    ],
}


def escaped(text):
    """Text as roff takes it: no escapes, hyphens to be copied, and no line that is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq").replace("…", "...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def spelling(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def shown(arguments):
    return [argument for argument in arguments if argument["shouldDisplay"]]


def value(argument):
    return " \\fI" + escaped(argument["valueName"]) + "\\fR" if argument["kind"] == "option" else ""


def output(sniffer, *arguments):
    # Help is wrapped to the width of a terminal, which another machine has not.
    environment = {**os.environ, "COLUMNS": "1000"}
    return subprocess.run([sniffer, *arguments], env=environment, capture_output=True, check=True, encoding="utf-8").stdout


def synopsis(sniffer, path):
    """The lines of the usage that the command's help has, as roff: values in italics, everything typed as it is in bold."""
    usage = re.search(r"^USAGE: (.*(?:\n +\S.*)*)", output(sniffer, *path[1:], "--help"), re.MULTILINE)
    if usage is None:
        sys.exit(f"{' '.join(path)} --help has no usage")
    lines = []
    for line in usage[1].splitlines():
        line = line.strip()
        if lines and not line.startswith(path[0]):
            lines[-1] += " " + line
        else:
            lines.append(line)
    styled = []
    for line in lines:
        text = escaped(line)
        text = re.sub(r"(?<![<\w\\-])(?:\\-\\-)?[a-z](?:[\w]|\\-)*(?![\w>])", r"\\fB\g<0>\\fR", text)
        styled.append(re.sub(r"<([^<>]+)>", r"\\fI\1\\fR", text))
    return "\n.br\n".join(styled)


def subcommands(command):
    return [sub for sub in command.get("subcommands", []) if sub["shouldDisplay"] and sub["commandName"] != "help"]


def described(argument):
    if argument["kind"] == "positional":
        title = "\\fI" + escaped(argument["valueName"]) + "\\fR" + (" ..." if argument["isRepeating"] else "")
    else:
        names = sorted(argument["names"], key=lambda name: name["kind"] == "long")
        title = ", ".join("\\fB" + escaped(spelling(name)) + "\\fR" for name in names) + value(argument)
    text = argument.get("abstract", "")
    if "discussion" in argument:
        text += "\n" + argument["discussion"]
    if "allValues" in argument:
        text += "\nValues: " + ", ".join(argument["allValues"]) + "."
    if "defaultValue" in argument:
        text += "\nDefault: " + argument["defaultValue"] + "."
    if argument["kind"] == "option" and argument["isRepeating"]:
        text += "\nCan be repeated." if "repeated" not in text else ""
    return [".TP", title, escaped(text.strip())]


def paragraphs(text):
    """Paragraphs as roff; one whose lines are all indented stays as it is written."""
    for paragraph in text.strip("\n").split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        if lines and all(line.startswith("  ") for line in lines):
            yield from [".PP", ".RS 4", ".EX", escaped("\n".join(line[2:] for line in lines)), ".EE", ".RE"]
        elif lines:
            yield from [".PP", escaped(paragraph.strip())]


def page(sniffer, path, command, version, date, parent):
    name = "-".join(path)
    lines = [f'.TH {escaped(name).upper()} 1 "{date}" "sniffer {version}" "User Commands"']
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", synopsis(sniffer, path)]
    lines += [".SH DESCRIPTION", escaped(command["abstract"])]
    lines += paragraphs(command.get("discussion", ""))
    positional = [argument for argument in shown(command["arguments"]) if argument["kind"] == "positional"]
    options = [argument for argument in shown(command["arguments"]) if argument["kind"] != "positional"]
    for title, arguments in (("ARGUMENTS", positional), ("OPTIONS", options)):
        if arguments:
            lines.append(".SH " + title)
            for argument in arguments:
                lines += described(argument)
    related = [parent] if parent else []
    if subcommands(command):
        lines.append(".SH COMMANDS")
        for sub in subcommands(command):
            sub_name = "-".join(path + [sub["commandName"]])
            related.append(sub_name)
            lines += [".TP", f"\\fB{escaped(sub_name)}\\fR(1)", escaped(sub["abstract"])]
    if name in EXAMPLES:
        lines.append(".SH EXAMPLES")
        for sentence, example in EXAMPLES[name]:
            lines += [".PP", escaped(sentence), ".PP", ".RS 4", ".EX", escaped(example), ".EE", ".RE"]
    lines.append(".SH EXIT STATUS")
    for status, meaning in EXIT_STATUS:
        lines += [".TP", f"\\fB{status}\\fR", escaped(meaning)]
    if related:
        seen = [f".BR {escaped(other)} (1)" for other in sorted(related)]
        lines += [".SH SEE ALSO"] + [line + " ," for line in seen[:-1]] + seen[-1:]
    return "\n".join(lines) + "\n"


def write(folder, sniffer, path, command, version, date, parent=None):
    name = "-".join(path)
    (folder / f"{name}.1").write_text(page(sniffer, path, command, version, date, parent), encoding="utf-8")
    for sub in subcommands(command):
        write(folder, sniffer, path + [sub["commandName"]], sub, version, date, name)


def main():
    folder, sniffer = pathlib.Path(sys.argv[1]), os.path.realpath(sys.argv[2])
    command = json.loads(output(sniffer, "--experimental-dump-help"))["command"]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date().isoformat() if epoch else ""
    write(folder, sniffer, [command["commandName"]], command, output(sniffer, "--version").strip(), date)


main()
