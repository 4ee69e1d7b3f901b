"""Writes a man page for each command that `sniffer --experimental-dump-help` describes. Standard library only.

Usage: man_pages.py OUTDIR VERSION DEFINITION.json
"""

import datetime
import json
import os
import pathlib
import sys

EXIT_STATUS = [
    ("0", "All well."),
    ("1", "The input was damaged, or something could not be opened or written; what was read is reported."),
    ("2", "The ledger does not balance."),
    ("64", "Wrong usage."),
]


def escaped(text):
    """Text as roff takes it: no escapes, hyphens to be copied, and no line that is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("…", "...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def spelling(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def shown(arguments):
    return [argument for argument in arguments if argument["shouldDisplay"]]


def value(argument):
    return " \\fI" + escaped(argument["valueName"]) + "\\fR" if argument["kind"] == "option" else ""


def synopsis(path, command):
    words = ["\\fB" + escaped(" ".join(path)) + "\\fR"]
    for argument in shown(command.get("arguments", [])):
        if argument["kind"] == "positional":
            word = "\\fI" + escaped(argument["valueName"]) + "\\fR"
        elif argument["isOptional"]:
            continue
        else:
            word = "\\fB" + escaped(spelling(argument["preferredName"])) + "\\fR" + value(argument)
        word += " ..." if argument["isRepeating"] else ""
        words.append("[" + word + "]" if argument["isOptional"] else word)
    if any(argument["isOptional"] and argument["kind"] != "positional" for argument in command.get("arguments", [])):
        words.insert(1, "[\\fIoptions\\fR]")
    if subcommands(command):
        words.append("[\\fIsubcommand\\fR]")
    return " ".join(words)


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


def page(path, command, version, date, parent):
    name = "-".join(path)
    lines = [f'.TH {escaped(name).upper()} 1 "{date}" "sniffer {version}" "User Commands"']
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", synopsis(path, command)]
    lines += [".SH DESCRIPTION", escaped(command["abstract"])]
    for paragraph in command.get("discussion", "").split("\n\n"):
        if paragraph.strip():
            lines += [".PP", escaped(paragraph.strip())]
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
    lines.append(".SH EXIT STATUS")
    for status, meaning in EXIT_STATUS:
        lines += [".TP", f"\\fB{status}\\fR", escaped(meaning)]
    if related:
        seen = [f".BR {escaped(other)} (1)" for other in sorted(related)]
        lines += [".SH SEE ALSO"] + [line + " ," for line in seen[:-1]] + seen[-1:]
    return "\n".join(lines) + "\n"


def write(folder, path, command, version, date, parent=None):
    name = "-".join(path)
    (folder / f"{name}.1").write_text(page(path, command, version, date, parent), encoding="utf-8")
    for sub in subcommands(command):
        write(folder, path + [sub["commandName"]], sub, version, date, name)


def main():
    folder, version, definition = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    command = json.loads(definition.read_text(encoding="utf-8"))["command"]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date().isoformat() if epoch else ""
    write(folder, [command["commandName"]], command, version, date)


main()
