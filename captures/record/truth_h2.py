#!/usr/bin/env python3
"""What passed on the wire over HTTP/2, stream by stream: a reader of its own, which shares nothing with the program.

    truth_h2.py CAPTURE [-k KEYS] [-o FILE]      CSV on standard output unless told
    truth_h2.py CAPTURE [-k KEYS] --blocks       a line for each field block: octets of each representation

Packets and segments are those of truth.py. TLS 1.3 is opened with the keys in KEYS or in the capture (a Decryption Secrets
Block), by `cryptography`; field blocks are decoded by PyPI's `hpack`. HTTP/2 without TLS is read where the client begins with
its preface. Connections that begin otherwise are passed over.

Columns are those of truth.py, with `ordinal` the number of the stream. Octets are those of HTTP/2: `_line` the
representations of pseudo-header fields, `_header` all others, `_framing` the headers of HEADERS, CONTINUATION and DATA frames with
their padding and priority, `_trailer` the fields after the content; `_expanded_line` and `_expanded_header` are what the same
message has in the spelling of HTTP/1.1 (:authority as Host where there is none, cookies joined). `_fields` and `_texts` are those
of the regular fields.
"""
import argparse, collections, csv, gzip, hmac, struct, sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hpack.hpack import Decoder, decode_integer

import truth

COLUMNS = truth.COLUMNS + """request_expanded_line request_expanded_header response_expanded_line response_expanded_header
request_control response_control""".split()
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SUITES = {0x1301: (AESGCM, 16, hashes.SHA256), 0x1302: (AESGCM, 32, hashes.SHA384), 0x1303: (ChaCha20Poly1305, 32, hashes.SHA256)}


# --- TLS 1.3 -----------------------------------------------------------------------------------

def secrets_of(data):
    """The key log inside of a pcapng file."""
    text, at = b"", 0
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return text
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 10:
            size = struct.unpack_from("<I", data, at + 12)[0]
            text += data[at + 16:at + 16 + size] + b"\n"
        at += length
    return text


def keys_of(text):
    found = {}
    for line in text.decode("ascii", "replace").splitlines():
        words = line.split()
        if len(words) == 3 and not line.startswith("#"):
            found[words[0], bytes.fromhex(words[1])] = bytes.fromhex(words[2])
    return found


class Protection:
    def __init__(self, secret, suite):
        cipher, size, digest = SUITES[suite]
        expand = lambda label, length: HKDFExpand(digest(), length, struct.pack(">HB", length, 6 + len(label)) + b"tls13 " + label + b"\0").derive(secret)
        self.cipher, self.iv, self.number = cipher(expand(b"key", size)), expand(b"iv", 12), 0

    def open(self, record):
        nonce = (int.from_bytes(self.iv, "big") ^ self.number).to_bytes(12, "big")
        self.number += 1
        inner = self.cipher.decrypt(nonce, record[5:], record[:5]).rstrip(b"\0")
        return inner[-1], inner[:-1]


class Opened:
    """What a side sent inside of TLS, with the time at which each octet was there, and the place of its record in TCP's stream."""

    def __init__(self):
        self.data, self.marks, self.places = bytearray(), [], []

    def add(self, octets, time, place):
        if octets:
            self.marks.append((len(self.data), time))
            self.places.append(place)
            self.data += octets

    time = truth.Stream.time


def records(stream):
    at = 0
    while at + 5 <= len(stream.data):
        size = struct.unpack_from(">H", stream.data, at + 3)[0]
        if at + 5 + size > len(stream.data):
            return
        yield stream.data[at:at + 5 + size], stream.time(at + 4 + size)
        at += 5 + size


def opened(up, down, keys):
    """The application's octets of both sides; nil where it is no TLS 1.3 with keys."""
    first = next(records(up), (b"",))[0]
    hello = next((r for r, _ in records(down) if r[0] == 22 and r[5] == 2), None)
    if first[:1] != b"\x16" or hello is None:
        return None
    random = first[11:43]
    at = 11 + 32
    suite = struct.unpack_from(">H", hello, at + 1 + hello[at])[0]
    if suite not in SUITES or ("CLIENT_TRAFFIC_SECRET_0", random) not in keys:
        return None
    sides = []
    for stream, name in ((up, "CLIENT"), (down, "SERVER")):
        protection = Protection(keys[f"{name}_HANDSHAKE_TRAFFIC_SECRET", random], suite)
        out, is_handshake, said, at = Opened(), True, b"", 0
        for record, time in records(stream):
            at += len(record)
            if record[0] != 23:
                continue
            kind, inner = protection.open(record)
            if kind == 22 and is_handshake:
                said += inner
                while len(said) >= 4 and len(said) >= 4 + int.from_bytes(said[1:4], "big"):
                    size = 4 + int.from_bytes(said[1:4], "big")
                    if said[0] == 20:
                        is_handshake, protection = False, Protection(keys[f"{name}_TRAFFIC_SECRET_0", random], suite)
                    said = said[size:]
            elif kind == 23:
                out.add(inner, time, range(at - len(record), at))
        sides.append(out)
    return sides


# --- HTTP/2 ------------------------------------------------------------------------------------

class Block(Decoder):
    """Decodes a field block and keeps how many octets each representation has."""

    def __init__(self):
        super().__init__(max_header_list_size=1 << 30)
        self.max_allowed_table_size = 1 << 20
        # The frames that tell each entry of the dynamic table, newest first.
        self.origins = collections.deque()

    def take(self, data, frames=()):
        """The fields of a block that is in these frames. `relied` is then the frames that tell the entries it refers to."""
        out, at, self.relied = [], 0, set()
        while at < len(data):
            octet, rest = data[at], memoryview(data)[at:]
            is_update = octet & 0xE0 == 0x20
            index = 0 if is_update else decode_integer(rest, 7 if octet & 0x80 else 6 if octet & 0x40 else 4)[0]
            source = self.origins[index - 62] if index > 61 else frozenset()
            self.relied |= source
            if octet & 0x80:
                field, size = self._decode_indexed(rest)
            elif octet & 0x40:
                field, size = self._decode_literal_index(rest)
                self.origins.appendleft(source | frozenset(frames))
            elif is_update:
                field, size = None, self._update_encoding_context(rest)
            else:
                field, size = self._decode_literal_no_index(rest)
            while len(self.origins) > len(self.header_table.dynamic_entries):
                self.origins.pop()
            out.append((tuple(bytes(part) for part in field[:2]) if field else None, size))
            at += size
        return out


class Half:
    def __init__(self):
        self.line = self.header = self.body = self.framing = self.trailer = self.control = 0
        self.fields, self.pseudo, self.begin, self.end, self.whole, self.has_head = [], {}, None, None, False, False
        self.frames, self.relied = [], set()

    def take(self, fields):
        for field, size in fields:
            if field and field[0].startswith(b":"):
                self.line += size
                self.pseudo[field[0]] = field[1]
            else:
                self.header += size
                if field:
                    self.fields.append(field)

    def field(self, name):
        return next((v.decode("latin-1") for n, v in self.fields if n == name), "")

    def total(self):
        return self.line + self.header + self.body + self.framing + self.trailer

    def expanded(self, is_request):
        header, cookies = 2, [v for n, v in self.fields if n == b"cookie"]
        header += sum(len(n) + len(v) + 4 for n, v in self.fields if n != b"cookie")
        if cookies:
            header += len(b"; ".join(cookies)) + 10
        if not is_request:
            return 15, header
        if not any(n == b"host" for n, _ in self.fields) and b":authority" in self.pseudo:
            header += 8 + len(self.pseudo[b":authority"])
        return len(self.pseudo.get(b":method", b"")) + len(self.pseudo.get(b":path", b"")) + 12, header


class Side:
    """A direction: frames to halves of streams."""

    def __init__(self, source, is_client, blocks):
        self.halves, self.interim, self.resets = {}, {}, {}
        self.order, decoder, at = [], Block(), len(PREFACE) if is_client else 0
        data, pending = bytes(source.data), None
        while at + 9 <= len(data):
            size, kind, flags = int.from_bytes(data[at:at + 3], "big"), data[at + 3], data[at + 4]
            stream = int.from_bytes(data[at + 5:at + 9], "big") & 0x7FFFFFFF
            payload = data[at + 9:at + 9 + size]
            begin, end = at, at + 9 + size
            at = end
            if kind in (0, 1, 9):
                half = self.halves.setdefault(stream, Half())
                if half.begin is None:
                    half.begin = begin
                    self.order.append(stream)
                half.end = min(end, len(data)) - 1
                half.frames.append(range(begin, half.end + 1))
                start, stop = 0, len(payload)
                if kind != 9 and flags & 8:
                    start, stop = 1, stop - payload[0]
                if kind == 1 and flags & 0x20:
                    start += 5
                half.framing += 9 + len(payload) - max(stop - start, 0)
                if kind == 0:
                    half.body += stop - start
                else:
                    before, end_flag, frames = pending[1:] if pending and kind == 9 else (b"", flags & 1, [])
                    pending = (stream, before + payload[start:stop], end_flag, frames + [half.frames[-1]])
                    if flags & 4:
                        fields = decoder.take(pending[1], pending[3])
                        half.relied |= decoder.relied
                        blocks.append((stream, is_client, fields))
                        status = next((int(f[1]) for f, _ in fields if f and f[0] == b":status"), 0)
                        if half.has_head:
                            half.trailer += sum(n for _, n in fields)
                        else:
                            half.take(fields)
                            if 100 <= status < 200:
                                self.interim[stream] = self.interim.get(stream, 0) + half.total()
                                del self.halves[stream]
                                self.order.remove(stream)
                            else:
                                half.has_head = True
                        if pending[2] & 1:
                            half.whole = True
                        pending = None
                if kind == 0 and flags & 1:
                    half.whole = True
            elif kind == 3:
                self.resets[stream] = True


def connections(data, keys, blocks=None):
    """Each connection over HTTP/2: its addresses, both its streams without TLS, and what each side sent."""
    flows, order = {}, []
    blocks = [] if blocks is None else blocks
    for time, source, from_port, target, to_port, sequence, flags, content in truth.segments(data):
        if flags & 2 and not flags & 16:
            flows[source, from_port, target, to_port] = pair = (truth.Stream(), truth.Stream())
            order.append(((source, from_port, target, to_port), pair))
        for key, side in (((source, from_port, target, to_port), 0), ((target, to_port, source, from_port), 1)):
            if key in flows:
                flows[key][side].add(time, sequence, flags, content)
                break
    for (client, port, server, server_port), (up, down) in order:
        up.join()
        down.join()
        inner = opened(up, down, keys) or (up, down)
        if bytes(inner[0].data[:len(PREFACE)]) != PREFACE:
            continue
        yield (client, port, server, server_port), inner, [Side(inner[0], True, blocks), Side(inner[1], False, blocks)]


def exchanges(data, keys, blocks=None):
    rows = []
    for (client, port, server, server_port), inner, found in connections(data, keys, blocks):
        for stream in found[0].order:
            row = dict.fromkeys(COLUMNS, "")
            request, response = found[0].halves[stream], found[1].halves.get(stream)
            text = lambda name: request.pseudo.get(name, b"").decode("latin-1")
            row.update(client=client, connection=port, server=server, server_port=server_port, ordinal=stream, method=text(b":method"),
                       target=text(b":path"), host=text(b":authority"), x_id=request.field(b"x-id"), interim=found[1].interim.get(stream, 0))
            for half, message, source in (("request", request, inner[0]), ("response", response, inner[1])):
                if message:
                    line, header = message.expanded(half == "request")
                    row.update({f"{half}_line": message.line, f"{half}_header": message.header, f"{half}_body": message.body,
                                f"{half}_framing": message.framing, f"{half}_trailer": message.trailer, f"{half}_bytes": message.total(),
                                f"{half}_expanded_line": line, f"{half}_expanded_header": header,
                                f"{half}_first": f"{source.time(message.begin) / 10**9:.9f}", f"{half}_last": f"{source.time(message.end) / 10**9:.9f}",
                                f"{half}_fields": len(message.fields), f"{half}_texts": sum(len(n) + len(v) for n, v in message.fields)})
                row[f"{half}_whole"] = int(bool(message and message.whole))
            if response:
                row.update(status=response.pseudo.get(b":status", b"").decode(), x_serial=response.field(b"x-serial"), transfer="",
                           encoding=response.field(b"content-encoding"), set_cookies=sum(n == b"set-cookie" for n, _ in response.fields))
            rows.append(row)
    rows.sort(key=lambda r: (r["request_first"], r["connection"], r["ordinal"]))
    return rows


def read(path, keys=b"", blocks=None):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return exchanges(data, keys_of(keys + b"\n" + secrets_of(data)), blocks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Every exchange of a capture over HTTP/2, as CSV.")
    parser.add_argument("capture")
    parser.add_argument("-k", "--keys")
    parser.add_argument("-o", "--output")
    parser.add_argument("--blocks", action="store_true")
    options = parser.parse_args()
    out = open(options.output, "w", newline="") if options.output else sys.stdout
    keys, blocks = open(options.keys, "rb").read() if options.keys else b"", []
    found = read(options.capture, keys, blocks)
    if options.blocks:
        for stream, is_client, fields in blocks:
            print(stream, "request" if is_client else "response", " ".join(str(size) for _, size in fields), file=out)
    else:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
