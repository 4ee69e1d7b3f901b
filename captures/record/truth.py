#!/usr/bin/env python3
"""What passed on the wire, exchange by exchange: a reader of captures of its own, which shares nothing with the program.

    truth.py CAPTURE [-o FILE]          CSV on standard output unless told

Reads pcap and pcapng (also .gz), Ethernet, Linux cooked (both), raw IP, BSD loopback; IPv4 and IPv6. TCP is put in order
by sequence number, so retransmitted and reordered segments are read once; a capture with a hole is an error. Then each
connection's two streams are read as HTTP/1, one request at a time with its responses.

Octets: `_line` is the start-line with its line end, `_header` the header section with its empty line, `_body` the body as
transferred without chunk framing, `_framing` the chunk framing with the line end after the last chunk's trailer section,
`_trailer` the trailer section's lines. `interim` has all octets of 1xx responses. Times are seconds since 1970 with nine
decimals: of the packets with the message's first and last octet. `request_whole` and `response_whole` are 0 for a message
that its connection's end cut off, and for a response of which there is nothing. `connection` is the client's port and
`ordinal` the number of the request in the connection, from 1. `x_id` is X-Id of the request, `x_serial` X-Serial of the
response, `encoding` the response's Content-Encoding, `request_fields` and `response_fields` how many field lines there are,
`request_texts` and `response_texts` the octets of their names and values, `transfer` its Transfer-Encoding, `set_cookies` its Set-Cookie lines.
"""
import argparse, csv, gzip, io, struct, sys

COLUMNS = """client connection server server_port ordinal method target host status
request_line request_header request_body request_framing request_trailer request_bytes
response_line response_header response_body response_framing response_trailer response_bytes interim
request_first request_last response_first response_last request_whole response_whole
x_id x_serial encoding transfer request_fields request_texts response_fields response_texts set_cookies""".split()


# --- packets ---------------------------------------------------------------------------------

def frames(data):
    """(nanoseconds, link type, octets) of each packet."""
    magic = data[:4]
    if magic == b"\x0a\x0d\x0d\x0a":
        yield from frames_ng(data)
        return
    for order in "<>":
        number = struct.unpack(order + "I", magic)[0]
        if number in (0xA1B2C3D4, 0xA1B23C4D):
            scale = 1000 if number == 0xA1B2C3D4 else 1
            break
    else:
        raise ValueError("no capture")
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    at = 24
    while at + 16 <= len(data):
        seconds, part, taken, length = struct.unpack_from(order + "IIII", data, at)
        if taken != length:
            raise ValueError("a packet is cut short")
        yield seconds * 10**9 + part * scale, link, data[at + 16:at + 16 + taken]
        at += 16 + taken


def frames_ng(data):
    at, order, interfaces = 0, "<", []
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(order + "II", data, at)
        body = data[at + 8:at + length - 4]
        if kind == 1:
            link, unit, spot = struct.unpack_from(order + "H", body)[0], 10**-6, 8
            while spot + 4 <= len(body):
                code, size = struct.unpack_from(order + "HH", body, spot)
                if code == 9:
                    power = body[spot + 4]
                    unit = 2.0**-(power & 127) if power & 128 else 10.0**-power
                if code == 0:
                    break
                spot += 4 + (size + 3) // 4 * 4
            interfaces.append((link, round(unit * 10**9)))
        elif kind == 6:
            number, high, low, taken, full = struct.unpack_from(order + "IIIII", body)
            if taken != full:
                raise ValueError("a packet is cut short")
            link, unit = interfaces[number]
            yield (high << 32 | low) * unit, link, body[20:20 + taken]
        at += length


def segments(data):
    """(time, source, port, target, port, sequence, flags, content) of each TCP segment."""
    for time, link, frame in frames(data):
        if link == 1:
            kind, at = struct.unpack_from(">H", frame, 12)[0], 14
            while kind in (0x8100, 0x88A8):
                kind, at = struct.unpack_from(">H", frame, at + 2)[0], at + 4
        elif link == 113:
            kind, at = struct.unpack_from(">H", frame, 14)[0], 16
        elif link == 276:
            kind, at = struct.unpack_from(">H", frame)[0], 20
        elif link in (0, 108):
            kind, at = (0x0800 if frame[4] >> 4 == 4 else 0x86DD), 4
        elif link in (101, 12, 14, 228, 229):
            kind, at = (0x0800 if frame[0] >> 4 == 4 else 0x86DD), 0
        else:
            raise ValueError(f"link type {link}")
        if kind == 0x0800:
            if frame[at + 9] != 6 or struct.unpack_from(">H", frame, at + 6)[0] & 0x3FFF:
                continue
            size, end = (frame[at] & 15) * 4, at + struct.unpack_from(">H", frame, at + 2)[0]
            source, target = (".".join(map(str, frame[at + n:at + n + 4])) for n in (12, 16))
        elif kind == 0x86DD:
            if frame[at + 6] != 6:
                continue
            size, end = 40, at + 40 + struct.unpack_from(">H", frame, at + 4)[0]
            source, target = (frame[at + n:at + n + 16].hex() for n in (8, 24))
        else:
            continue
        at += size
        from_port, to_port, sequence = struct.unpack_from(">HHI", frame, at)
        yield time, source, from_port, target, to_port, sequence, frame[at + 13], frame[at + (frame[at + 12] >> 4) * 4:end]


class Stream:
    """One direction: octets in order, and when each was first there."""

    def __init__(self):
        self.base, self.parts, self.finished = None, {}, False

    def add(self, time, sequence, flags, content):
        if flags & 2:
            self.base = (sequence + 1) & 0xFFFFFFFF
            return
        if flags & 1:
            self.finished = True
        if content and self.base is not None:
            offset = (sequence - self.base + 2**31 & 0xFFFFFFFF) - 2**31
            if offset >= -1:
                if len(content) > len(self.parts.get(offset, (0, b""))[1]):
                    self.parts[offset] = (self.parts.get(offset, (time,))[0], content)

    def join(self):
        out, self.marks = bytearray(), []
        for offset in sorted(self.parts):
            time, content = self.parts[offset]
            if offset < len(out):
                content = content[len(out) - offset:]
            elif offset > len(out):
                raise ValueError(f"a hole of {offset - len(out)} octets")
            if content:
                self.marks.append((len(out), time))
                out += content
        self.data = bytes(out)

    def time(self, position):
        low, high = 0, len(self.marks)
        while low < high:
            middle = (low + high) // 2
            if self.marks[middle][0] <= position:
                low = middle + 1
            else:
                high = middle
        return self.marks[low - 1][1]


# --- messages --------------------------------------------------------------------------------

class Cut(Exception):
    pass


class Message:
    def __init__(self, stream, at):
        self.stream, self.begin, self.at = stream, at, at
        self.line = self.header = self.body = self.framing = self.trailer = 0
        self.fields, self.whole, self.pieces = [], False, []

    def take_line(self):
        end = self.stream.data.find(b"\n", self.at)
        if end < 0:
            raise Cut
        line, self.at = self.stream.data[self.at:end + 1], end + 1
        return line

    def head(self):
        while (line := self.take_line()) in (b"\r\n", b"\n"):
            self.begin = self.at
        self.line, self.start = len(line), line.decode("latin-1").strip()
        while True:
            line = self.take_line()
            self.header += len(line)
            if line in (b"\r\n", b"\n"):
                return
            name, value = line.decode("latin-1").split(":", 1)
            self.fields.append((name, value.strip()))

    def field(self, name, missing=""):
        return next((v for n, v in self.fields if n.lower() == name), missing)

    def take_body(self, size):
        had = min(size, len(self.stream.data) - self.at)
        self.pieces.append(self.stream.data[self.at:self.at + had])
        self.body += had
        self.at += had
        if had < size:
            raise Cut

    def chunks(self):
        while True:
            line = self.take_line()
            self.framing += len(line)
            size = int(line.split(b";")[0], 16)
            if not size:
                break
            self.take_body(size)
            self.framing += len(self.take_line())
        while (line := self.take_line()) not in (b"\r\n", b"\n"):
            self.trailer += len(line)
        self.framing += len(line)

    def content(self, until_close):
        if self.field("transfer-encoding").lower().endswith("chunked"):
            self.chunks()
        elif self.field("content-length"):
            self.take_body(int(self.field("content-length")))
        elif until_close:
            self.take_body(len(self.stream.data) - self.at)

    def all(self):
        return self.at - self.begin

    def texts(self):
        return sum(len(n) + len(v) for n, v in self.fields)

    def first(self):
        return f"{self.stream.time(self.begin) / 10**9:.9f}"

    def last(self):
        return f"{self.stream.time(max(self.begin, self.at - 1)) / 10**9:.9f}"


def exchanges(data):
    flows = {}
    order = []
    for time, source, from_port, target, to_port, sequence, flags, content in segments(data):
        if flags & 2 and not flags & 16:
            key = source, from_port, target, to_port
            flows[key] = (Stream(), Stream())
            order.append((key, flows[key]))
        for key, side in (((source, from_port, target, to_port), 0), ((target, to_port, source, from_port), 1)):
            if key in flows:
                flows[key][side].add(time, sequence, flags, content)
                break
    rows = []
    for (client, port, server, server_port), (up, down) in order:
        try:
            up.join()
            down.join()
        except ValueError as error:
            raise ValueError(f"{client}:{port} to {server}:{server_port}: {error}") from None
        here, there, ordinal = 0, 0, 0
        while here < len(up.data):
            request, row = Message(up, here), dict.fromkeys(COLUMNS, "")
            ordinal += 1
            try:
                request.head()
                request.content(False)
                request.whole = True
            except Cut:
                request.at = max(request.at, len(up.data))
            here = request.at
            method, _, rest = getattr(request, "start", "").partition(" ")
            row.update(client=client, connection=port, server=server, server_port=server_port, ordinal=ordinal, method=method,
                       target=rest.rsplit(" ", 1)[0], host=request.field("host"), x_id=request.field("x-id"), interim=0)
            response = None
            while there < len(down.data):
                response = Message(down, there)
                try:
                    response.head()
                    status = int(response.start.split()[1])
                    if status // 100 != 1:
                        if method != "HEAD" and status not in (204, 304):
                            response.content(True)
                    response.whole = True
                except Cut:
                    response.at = len(down.data)
                there = response.at
                if response.whole and status // 100 == 1:
                    row["interim"] += response.all()
                    response = None
                    continue
                break
            for half, message in (("request", request), ("response", response)):
                if message:
                    row.update({f"{half}_line": message.line, f"{half}_header": message.header, f"{half}_body": message.body,
                                f"{half}_framing": message.framing, f"{half}_trailer": message.trailer, f"{half}_bytes": message.all(),
                                f"{half}_first": message.first(), f"{half}_last": message.last(), f"{half}_fields": len(message.fields),
                                f"{half}_texts": message.texts()})
                row[f"{half}_whole"] = int(bool(message and message.whole))
            if response:
                row.update(status=response.start.split()[1] if " " in getattr(response, "start", "") else "", x_serial=response.field("x-serial"),
                           encoding=response.field("content-encoding"), transfer=response.field("transfer-encoding"),
                           set_cookies=sum(n.lower() == "set-cookie" for n, _ in response.fields))
            row["messages"] = request, response
            rows.append(row)
    rows.sort(key=lambda r: (r["request_first"], r["connection"]))
    return rows


def read(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return exchanges(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Every exchange of a capture, as CSV.")
    parser.add_argument("capture")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    out = open(options.output, "w", newline="") if options.output else sys.stdout
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(read(options.capture))
