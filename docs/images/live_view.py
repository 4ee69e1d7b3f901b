"""Draws the view of `sniffer live` as SVG, while a capture is sent over an interface of this network namespace.

usage: unshare -n live_view.py SNIFFER CAPTURE.pcapng OUT.svg      needs root and pyte (a terminal in memory)
"""

import fcntl
import html
import os
import pty
import select
import socket
import struct
import subprocess
import sys
import termios
import time

import pyte

COLUMNS, ROWS = 112, 30
# The capture is of six seconds; this is how many times as fast it is sent.
SPEED = 1
CELL = (8.4, 18)
INK, PAPER = "#d6deeb", "#0b1622"
COLOURS = {
    "black": "#0b1622", "red": "#ef5350", "green": "#22da6e", "brown": "#ffca28", "yellow": "#ffca28",
    "blue": "#82aaff", "magenta": "#c792ea", "cyan": "#21c7a8", "white": "#ffffff", "brightblack": "#637777",
}


def packets(path):
    """Times in seconds and octets of the packets of a pcapng file with the byte order of this machine."""
    data = open(path, "rb").read()
    place, unit = 0, 1e-6
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        body = data[place + 8:place + length - 4]
        if kind == 1:  # the interface: its option 9 is the unit of times
            option = 8
            while option + 4 <= len(body):
                code, size = struct.unpack_from("<HH", body, option)
                if code == 9:
                    unit = 10.0 ** -body[option + 4]
                option += 4 + size + -size % 4
        elif kind == 6:
            _, high, low, captured, _ = struct.unpack_from("<IIIII", body)
            yield (high << 32 | low) * unit, body[20:20 + captured]
        place += length


def read(terminal, stream, seconds):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if terminal not in select.select([terminal], [], [], left)[0]:
            return
        try:
            stream.feed(os.read(terminal, 1 << 16))
        except OSError:  # the program has ended
            return


def svg(screen):
    last = max(row for row in range(ROWS) if any(screen.buffer[row][column].data.strip() for column in range(COLUMNS)))
    width, height = COLUMNS * CELL[0] + 32, (last + 1) * CELL[1] + 32
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">',
        "<title>sniffer live</title>", f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
    ]
    for row in range(last + 1):
        column = 0
        while column < COLUMNS:
            style = look(screen.buffer[row][column])
            end = column
            while end < COLUMNS and look(screen.buffer[row][end]) == style:
                end += 1
            text = "".join(screen.buffer[row][each].data for each in range(column, end))
            lines += run(text, style, column, row)
            column = end
    return "\n".join(lines + ["</svg>", ""])


def look(cell):
    ink, paper = COLOURS.get(cell.fg, INK), COLOURS.get(cell.bg, PAPER)
    return (paper, ink, cell.bold) if cell.reverse else (ink, paper, cell.bold)


def run(text, style, column, row):
    ink, paper, bold = style
    x, y = 16 + column * CELL[0], 16 + row * CELL[1]
    lines = []
    if paper != PAPER:
        lines.append(f'<rect x="{x:.1f}" y="{y}" width="{len(text) * CELL[0]:.1f}" height="{CELL[1]}" fill="{paper}"/>')
    if text.strip():
        weight = ' font-weight="bold"' if bold else ""
        lines.append(
            f'<text x="{x:.1f}" y="{y + 14}" fill="{ink}"{weight} xml:space="preserve" textLength="{len(text) * CELL[0]:.1f}">'
            f"{html.escape(text, quote=False)}</text>")
    return lines


def main():
    sniffer, capture, out = sys.argv[1:]
    subprocess.run(
        "ip link add eth0 type veth peer name eth1 && ip link set eth0 up && ip link set eth1 up", shell=True, check=True)
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    child, terminal = pty.fork()
    if child == 0:
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        os.execve(sniffer, [sniffer, "live", "-i", "eth0", "--template", "--allow-root"], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    read(terminal, stream, 2)
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind(("eth1", 0))
    first, start = None, time.monotonic()
    for at, octets in packets(capture):
        first = at if first is None else first
        wait = (at - first) / SPEED - (time.monotonic() - start)
        if wait > 0:
            read(terminal, stream, wait)
        # What is longer than the interface takes was one frame when it was captured.
        if len(octets) <= 1514:
            wire.send(octets)
    read(terminal, stream, 1.5)
    picture = svg(screen)
    os.write(terminal, b"q")
    read(terminal, stream, 2)
    os.close(terminal)
    os.waitpid(child, 0)
    with open(out, "w", encoding="utf-8") as file:
        file.write(picture)


main()
