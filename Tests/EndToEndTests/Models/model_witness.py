"""A second opinion on `sniffer models`: tshark reads the capture, this file does the rest. Standard library only.

Usage: model_witness.py CAPTURE [TSHARK]

Prints CSV: client, server, type, ordinal (of the type on the connection, from 1), model, line, header, body, framing.
A figure that Python's library cannot know (content in br or zstd) is left empty. Shares no code with sniffer: streams
are put together from tshark's segments by sequence number, messages are cut and models computed anew from their texts.
Made for captures without loss, port reuse and pipelined HEAD; what it cannot read it passes over.
"""

import collections
import csv
import http
import json
import subprocess
import sys
import urllib.parse
import zlib

HIDDEN = {"host", "accept", "accept-encoding", "accept-language", "connection", "user-agent", "content-length", "cookie"}
# Where Python's phrases are not those of the registry.
PHRASES = {413: "Content Too Large", 416: "Range Not Satisfiable", 418: "", 422: "Unprocessable Content"}
Message = collections.namedtuple("Message", "kind start fields head body framing complete request")


def segments(capture, tshark):
    """The TCP segments with payload, by connection and direction."""
    names = ["tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport", "tcp.seq_raw",
             "tcp.flags.syn", "tcp.flags.ack", "tcp.payload"]
    command = [tshark, "-n", "-r", capture, "-Y", "tcp", "-T", "fields", "-E", "separator=;", "-E", "occurrence=l",
               "-o", "tcp.desegment_tcp_streams:FALSE", "--disable-protocol", "http", "--disable-protocol", "tls"]
    for name in names:
        command += ["-e", name]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    connections = {}
    for line in lines:
        stream, v4, v6, port, to4, to6, to_port, seq, syn, ack, payload = line.split(";")
        source, target = endpoint(v4 or v6, port), endpoint(to4 or to6, to_port)
        connection = connections.setdefault(stream, {"client": source, "server": target, "parts": {}})
        if syn in ("1", "True") and ack in ("1", "True"):
            connection["client"], connection["server"] = target, source
        start = int(seq) + (syn in ("1", "True"))
        parts = connection["parts"].setdefault(source, [])
        parts.append((start, bytes.fromhex(payload.replace(":", ""))))
    return connections.values()


def endpoint(address, port):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def stream(parts):
    """The octets of one direction in order, up to the first hole."""
    if not parts:
        return b""
    base = parts[0][0]
    result = bytearray()
    for start, payload in sorted((((start - base + 2**31) % 2**32) - 2**31, payload) for start, payload in parts):
        if start > len(result):
            break
        result += payload[len(result) - start:]
    return bytes(result)


def messages(octets, requests):
    """Cuts a stream into messages. `requests` are those that a stream of responses answers; None for requests."""
    position, answered = 0, 0
    while True:
        while octets[position:position + 2] == b"\r\n":
            position += 2
        end = octets.find(b"\r\n\r\n", position)
        if end < 0:
            return
        head = octets[position:end + 4]
        lines = head[:-4].split(b"\r\n")
        fields = [(name, value.strip(b" \t")) for name, _, value in (line.partition(b":") for line in lines[1:])]
        position = end + 4
        kind, request = "request", None
        if requests is not None:
            status = int(lines[0].split(b" ")[1])
            kind = "interim" if 100 <= status < 200 and status != 101 else "response"
            request = requests[answered] if answered < len(requests) else None
            answered += kind == "response"
        coding = get(fields, b"transfer-encoding")
        length = get(fields, b"content-length")
        body, framing, complete = b"", 0, True
        if kind == "interim" or (kind == "response" and bodiless(status, request)):
            pass
        elif coding is not None and coding.lower().endswith(b"chunked"):
            start = position
            body, position, complete = chunks(octets, position)
            framing = position - start - len(body)
        elif length is not None:
            body = octets[position:position + int(length)]
            complete = len(body) == int(length)
            position += len(body)
        elif kind == "response":
            body, position = octets[position:], len(octets)
        yield Message(kind, lines[0], fields, head, body, framing, complete, request)
        if kind == "response" and status == 101 or request is not None and request.start.startswith(b"CONNECT"):
            return


def bodiless(status, request):
    return status in (101, 204, 304) or request is not None and request.start.startswith(b"HEAD ")


def chunks(octets, position):
    body = bytearray()
    while True:
        end = octets.find(b"\r\n", position)
        if end < 0:
            return bytes(body), len(octets), False
        size = int(octets[position:end].split(b";")[0], 16)
        position = end + 2
        if size == 0:
            break
        body += octets[position:position + size]
        position += size + 2
    while True:
        end = octets.find(b"\r\n", position)
        if end < 0:
            return bytes(body), len(octets), False
        empty, position = end == position, end + 2
        if empty:
            return bytes(body), position, True


def get(fields, name):
    values = [value for other, value in fields if other.lower() == name]
    return b", ".join(values) if values else None


def folded(fields):
    """As a dictionary: one entry a name, whatever its case."""
    result, names = {}, {}
    for name, value in fields:
        name = names.setdefault(name.lower(), name)
        result[name] = result[name] + b", " + value if name in result else value
    return result


def pretty(entries):
    """The length of NSJSONSerialization's pretty-printed text, written out."""
    def quoted(octets):
        return json.dumps(octets.decode(), ensure_ascii=False).replace("/", "\\/")
    lines = [f"  {quoted(name)} : {quoted(value)}" for name, value in entries.items()]
    return len(("{\n" + ",\n".join(lines) + "\n}").encode())


def text(entries, line_end):
    return sum(len(name + b": " + value) + line_end for name, value in entries.items())


def gzip_length(octets):
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    return len(compressor.compress(octets) + compressor.flush()) if octets else 0


def decoded(message):
    """The delivered content; None if that is not known here."""
    coding = (get(message.fields, b"content-encoding") or b"").lower().replace(b"x-", b"")
    transfer = (get(message.fields, b"transfer-encoding") or b"chunked").lower()
    if transfer != b"chunked":
        return None
    if coding in (b"", b"identity"):
        return message.body
    if not message.complete:
        return None
    try:
        if coding == b"gzip":
            rest, result = message.body, b""
            while rest:
                inflater = zlib.decompressobj(31)
                result += inflater.decompress(rest) + inflater.flush()
                if not inflater.eof:
                    return None
                rest = inflater.unused_data
            return result
        if coding == b"deflate":
            return zlib.decompress(message.body, 15 if message.body[:1] == b"\x78" else -15)
    except zlib.error:
        pass
    return None


def request_figures(message):
    target = message.start.split(b" ")[1]
    method = message.start.split(b" ")[0]
    path = urllib.parse.unquote_to_bytes(target.split(b"?")[0])
    if len(path) > 1 and path.endswith(b"/"):
        path = path[:-1]
    line = len(method + b" " + path + b" HTTP/1.1")
    seen = folded([field for field in message.fields if field[0].lower().decode() not in HIDDEN])
    cookie = {b"Cookie": get(message.fields, b"cookie")} if get(message.fields, b"cookie") is not None else {}
    is_stream = (get(message.fields, b"transfer-encoding") or b"").lower() == b"chunked"
    body, data = len(message.body), 0 if is_stream else len(message.body)
    coded = get(message.fields, b"content-encoding") is not None
    whole = seen | cookie
    return {
        "networkeye": (0, 0, 0, 0),
        "hertz": (0, 0, data, 0),
        "wedjat": (0, pretty(whole) if whole else 4, data, 0),
        "dokit": (0, pretty(whole) if whole else 4, body if method == b"POST" else data, 0),
        "dogger": (line + 1, text(whole, 1), gzip_length(message.body) if coded else data, 0),
        "ep": (line + 2, text(whole, 2) + 2, body, 0),
        "lldebugtool": (line + 1, (pretty(seen) if seen else 4) + (pretty(cookie) if cookie else 4), data, 0),
        "netfox": (0, 0, body, 0),
        "okhttp": (0, sum(len(name + value) + 4 for name, value in message.fields), body, 0),
        "urlsession_metrics": (0, len(message.head), body + message.framing, 0),
        "har_chrome": (0, len(message.head.decode()) - 2, body, 0),
        "har_firefox": (0, len(message.head.decode()), min(units(message), 1 << 20), 0),
        "har_mitmproxy": (0, printed(message.fields), len(message.body) if decoded(message) is None else len(decoded(message)), 0),
        "trafficprobe": (len(method + b" " + target + b" HTTP/1.1\r\n"), text(folded(message.fields), 2) + 2, body, 0),
    }


def printed(fields):
    """What mitmproxy takes for the header's size: its list of fields as text."""
    return len("Headers[" + ", ".join(str((name, value)) for name, value in fields) + "]")


def units(message):
    """UTF-16 units of the body, where it is text and not coded."""
    if get(message.fields, b"content-encoding") is not None:
        return len(message.body)
    try:
        return len(message.body.decode().encode("utf-16-le")) // 2
    except UnicodeDecodeError:
        return len(message.body)


def response_figures(message):
    coding = get(message.fields, b"transfer-encoding")
    fields = [(name, b"Identity" if name.lower() == b"transfer-encoding" and value.lower() == b"chunked" else value)
              for name, value in message.fields]
    seen = folded(fields)
    length = get(message.fields, b"content-length")
    expected = int(length) if length is not None and coding is None else -1
    content = decoded(message)
    delivered = None if content is None else len(content)
    is_gzip = get(message.fields, b"content-encoding") == b"gzip"
    zipped = None if content is None else gzip_length(content)
    dogger = zipped if is_gzip else delivered
    json_length = pretty(seen) if seen else 4
    raw = sum(len(name + value) + 4 for name, value in message.fields)
    status = int(message.start.split(b" ")[1])
    probe_line = len(f"HTTP/1.1 {status} {PHRASES.get(status, http.HTTPStatus(status).phrase)}\r\n")
    chunked_again = 1 if coding is not None and coding.lower() == b"chunked" else 0
    cookies = [field for field in message.fields if field[0].lower() == b"set-cookie"]
    others = folded([field for field in message.fields if field[0].lower() != b"set-cookie"])
    probe_header = text(others, 2) + sum(len(name + value) + 4 for name, value in cookies) + 2
    coded = get(message.fields, b"content-encoding") not in (None, b"identity")
    if bodiless(status, message.request):
        probe_body = 0
    elif not coded:
        probe_body = len(message.body)
    else:
        probe_body = min(expected, len(message.body)) if expected >= 0 else zipped
    total = len(message.head) + len(message.body) + message.framing
    utf16 = len(message.head.decode().encode("utf-16-le")) // 2
    is_redirect = status in (301, 302, 303, 307, 308) and get(message.fields, b"location") is not None
    again = 13 * max(len(cookies) - 1, 0)
    return {
        "networkeye": (0, 0, expected, 0),
        "hertz": (0, 0, delivered, 0),
        "wedjat": (0, json_length, expected if expected != -1 else delivered, 0),
        "dokit": (0, json_length, expected if expected != -1 else delivered, 0),
        "dogger": (len(message.start), text(seen, 1), dogger, 0),
        "ep": (len(message.start) + 2, text(seen, 2) + 2 - chunked_again, dogger, 0),
        "lldebugtool": (len(message.start), json_length, delivered, 0),
        "netfox": (0, 0, delivered, 0),
        "okhttp": (0, raw, len(message.body), 0),
        "urlsession_metrics": (0, len(message.head), len(message.body) + message.framing, 0),
        "har_chrome": (0, utf16, 0 if is_redirect else total - utf16, 0),
        "har_firefox": (0, utf16 - again, total - message.framing - again, 0),
        "har_mitmproxy": (0, printed(message.fields), len(message.body), 0),
        "trafficprobe": (probe_line, probe_header, probe_body, 0),
    }


def main():
    capture, tshark = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "tshark"
    output = csv.writer(sys.stdout, lineterminator="\n")
    output.writerow(["client", "server", "type", "ordinal", "model", "line", "header", "body", "framing"])
    for connection in segments(capture, tshark):
        client, server, parts = connection["client"], connection["server"], connection["parts"]
        asked = stream(parts.get(client))
        if asked[:1].isalpha() and b" HTTP/1." in asked.split(b"\r\n")[0]:
            requests = list(messages(asked, None))
            ordinals = collections.Counter()
            for message in requests + list(messages(stream(parts.get(server)), requests)):
                ordinals[message.kind] += 1
                if message.kind == "interim":
                    continue
                figures = request_figures(message) if message.kind == "request" else response_figures(message)
                for model, lengths in figures.items():
                    cells = ["", "", "", ""] if None in lengths else lengths
                    output.writerow([client, server, message.kind, ordinals[message.kind], model, *cells])


if __name__ == "__main__":
    main()
