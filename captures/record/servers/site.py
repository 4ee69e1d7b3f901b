"""A site of every kind of exchange that a log of HTTP messages can get wrong, and a log of the octets of each.

    site.py LOG ADDRESS:PORT…

Raw sockets under asyncio, so that every octet is known: LOG has a JSON line for each exchange, with the connection's
client port, the ordinal of the request in the connection, the octets of each part of both messages, and times.
Every response has X-Serial, seven digits, the number of its exchange; X-Id of a request is written down, too.
Sizes that differ from one answer to the next come from a seed, so that a run can be made again.
"""
import asyncio, email.utils, gzip, json, random, struct, sys, time, urllib.parse, zlib

try:
    import brotli
except ImportError:
    brotli = None

ORIGIN = "http://app.example.com"
rng = random.Random(20)
serial = 0
log = None
words = " ".join(random.Random(7).choice(
    "amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper".split())
    for _ in range(700)).encode()
seen = {}


def text(octets):
    return (words * (octets // len(words) + 1))[:octets]


def document(octets, **more):
    """JSON of exactly that many octets (at least what `more` needs)."""
    body = json.dumps({**more, "text": ""}, ensure_ascii=False).encode()
    fill = text(max(0, octets - len(body)))
    return body[:-2] + fill + body[-2:]


def picture(number):
    side = 8 + number % 24
    noise = random.Random(number)
    raw = b"".join(b"\0" + bytes(noise.randrange(256) for _ in range(3 * side)) for _ in range(side))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


class Connection:
    def __init__(self, reader, writer):
        self.reader, self.writer, self.ordinal = reader, writer, 0

    async def run(self):
        self.peer, self.here = self.writer.get_extra_info("peername"), self.writer.get_extra_info("sockname")
        try:
            while await self.exchange():
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            self.writer.close()

    async def exchange(self):
        global serial
        line = await self.reader.readuntil(b"\n")
        self.row = row = {"serial": None, "connection": self.peer[1], "ordinal": None, "client": self.peer[0], "server": self.here[0],
                          "server_port": self.here[1], "request_first": time.time(), "request_line": len(line), "request_header": 0,
                          "request_body": 0, "request_framing": 0, "response_line": 0, "response_header": 0, "response_body": 0,
                          "response_framing": 0, "interim": 0, "complete": False}
        self.ordinal += 1
        serial += 1
        row["ordinal"], row["serial"] = self.ordinal, serial
        self.method, self.target, _ = line.decode("latin-1").split()
        row["method"], row["target"] = self.method, self.target
        self.fields, self.over = {}, False
        while (line := await self.reader.readuntil(b"\n")) != b"\r\n":
            row["request_header"] += len(line)
            name, value = line.decode("latin-1").split(":", 1)
            self.fields[name.strip().lower()] = value.strip()
        row["request_header"] += 2
        row["host"], row["x_id"] = self.fields.get("host", ""), self.fields.get("x-id", "")
        try:
            await self.content()
            row["request_last"] = time.time()
            await self.answer()
            row["complete"] = True
            return not self.over and self.fields.get("connection", "").lower() != "close"
        finally:
            row["response_last"] = time.time()
            log.write(json.dumps(row) + "\n")
            log.flush()

    async def content(self):
        if self.fields.get("expect", "").lower() == "100-continue":
            self.row["interim"] = self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.body = b""
        if self.fields.get("transfer-encoding", "").lower() == "chunked":
            while True:
                line = await self.reader.readuntil(b"\n")
                self.row["request_framing"] += len(line)
                size = int(line.split(b";")[0], 16)
                if not size:
                    break
                self.body += await self.reader.readexactly(size)
                self.row["request_framing"] += len(await self.reader.readexactly(2))
            while True:
                line = await self.reader.readuntil(b"\n")
                self.row["request_framing"] += len(line)
                if line == b"\r\n":
                    break
        else:
            self.body = await self.reader.readexactly(int(self.fields.get("content-length", 0)))
        self.row["request_body"] = len(self.body)

    def write(self, data):
        self.row.setdefault("response_first", time.time())
        self.writer.write(data)
        return len(data)

    def head(self, status, fields):
        line = f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}\r\n".encode()
        lines = [("Date", email.utils.formatdate(usegmt=True)), ("X-Serial", f"{self.row['serial']:07}"), *fields]
        if "origin" in self.fields:
            lines += [("Access-Control-Allow-Origin", self.fields["origin"]), ("Access-Control-Expose-Headers", "X-Serial"),
                      ("Access-Control-Allow-Headers", "X-Id, Content-Type"), ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"),
                      ("Access-Control-Max-Age", "600")]
        head = "".join(f"{name}: {value}\r\n" for name, value in lines).encode() + b"\r\n"
        self.row["status"] = status
        self.row["response_line"] += len(line)
        self.row["response_header"] += len(head)
        self.write(line + head)

    async def send(self, status, body=b"", fields=(), kind="application/json", chunked=False, cut=None, drip=0, trailer=()):
        fields = list(fields)
        bodiless = status in (204, 304)
        if not bodiless:
            fields.append(("Content-Type", kind))
            fields.append(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", len(body)))
        if trailer:
            fields.append(("Trailer", ", ".join(name for name, _ in trailer)))
        self.head(status, fields)
        if bodiless or self.method == "HEAD":
            await self.writer.drain()
            return
        position, end = 0, len(body) if cut is None else cut
        while position < end:
            size = min(end - position, rng.randrange(200, 4000) if chunked else drip or 65536)
            piece = body[position:position + size]
            if chunked:
                size_line = f"{size:x}\r\n".encode()
                self.write(size_line + piece + b"\r\n")
                self.row["response_framing"] += len(size_line) + 2
            else:
                self.write(piece)
            self.row["response_body"] += size
            position += size
            await self.writer.drain()
            if drip:
                await asyncio.sleep(0.02)
        if cut is not None:
            self.over = True
            return
        if chunked:
            end = b"0\r\n" + b"".join(f"{n}: {v}\r\n".encode() for n, v in trailer) + b"\r\n"
            self.row["response_framing"] += self.write(end)
        await self.writer.drain()

    async def answer(self):
        url = urllib.parse.urlsplit(self.target)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.strip("/").split("/")
        what = parts[0]
        number = next((int(p) for p in reversed(parts) if p.isdigit()), 0)
        again = seen[self.method, self.target] = seen.get((self.method, self.target), 0) + 1
        if self.method == "OPTIONS":
            await self.send(204)
        elif what == "":
            images = "".join(f'<img src="/img/{n}.png" alt="">' for n in range(8)) + '<img src="//api.example.net/img/70.png" alt="">'
            await self.send(200, f'<!doctype html><meta charset="utf-8"><title>Day</title><link rel="icon" href="data:,">'
                            f'<link rel="stylesheet" href="/static/day.css"><script src="/static/lib.js"></script>{images}<p>Día</p>'.encode(),
                            [("Cache-Control", "no-store"), ("Set-Cookie", "visit=1; Path=/"), ("Set-Cookie", "theme=dark; Path=/")],
                            "text/html; charset=utf-8")
        elif what == "static":
            kind = "text/css" if url.path.endswith("css") else "text/javascript"
            body = b"/* " + text(1800 if kind == "text/css" else 5200) + b" */\n"
            await self.send(200, body, [("Cache-Control", "max-age=600")], kind)
        elif what == "img":
            number = int(parts[1].split(".")[0])
            await self.send(200, picture(number), [("Cache-Control", "max-age=600" if number < 4 else "no-store")], "image/png")
        elif self.path_is("/api/feed"):
            page = int(query.get("page", 0))
            await asyncio.sleep(rng.uniform(0, 0.03))
            await self.send(200, document(400 + 911 * page % 7001, page=page), [("Cache-Control", "no-store")])
        elif what == "same":
            await asyncio.sleep(rng.uniform(0, 0.05))
            await self.send(200, document(rng.randrange(300, 6000), again=again), [("Cache-Control", "no-store")])
        elif what == "poll":
            await asyncio.sleep(rng.uniform(0, 0.04))
            await self.send(200, document(rng.randrange(30, 240), n=again), [("Cache-Control", "no-store")])
        elif what == "r":
            await self.send(int(parts[1]), text(int(query.get("n", 0))), [("Location", query["to"]), ("Cache-Control", "no-store")], "text/plain")
        elif what == "etag":
            tag = f'"tag-{number}"'
            if self.fields.get("if-none-match") == tag:
                await self.send(304, fields=[("ETag", tag), ("Cache-Control", "no-cache")])
            else:
                await self.send(200, document(900 + 333 * number), [("ETag", tag), ("Cache-Control", "no-cache")])
        elif what in ("gz", "br"):
            body = document(number, what=what)
            # Browsers take br over TLS alone, and do not offer it here: then it is gzip.
            br = what == "br" and brotli and "br" in self.fields.get("accept-encoding", "")
            coded = brotli.compress(body, quality=5) if br else gzip.compress(body, 6, mtime=0)
            await self.send(200, coded, [("Content-Encoding", "br" if br else "gzip"), ("Cache-Control", "no-store")],
                            chunked="chunked" in parts)
        elif what == "chunked":
            await self.send(200, document(number), [("Cache-Control", "no-store")], chunked=True)
        elif what == "trailer":
            await self.send(200, document(number), [("Cache-Control", "no-store")], chunked=True, trailer=[("X-Sum", "12345678")])
        elif what in ("up", "big"):
            await self.send(200, document(60 + len(self.body) % 97, got=len(self.body)), [("Cache-Control", "no-store")])
        elif what == "item":
            await self.send(201 if self.method == "POST" else 200, document(150 + 17 * number, id=number), [("Cache-Control", "no-store")])
        elif what == "status":
            await self.send(number, document(90 + number % 7, error=number) if number != 204 else b"", [("Cache-Control", "no-store")])
        elif what == "slow":
            await self.send(200, text(number), [("Cache-Control", "no-store")], "text/plain", drip=1400)
        elif what == "silent":
            await asyncio.sleep(1.5)
            await self.send(200, text(number), [("Cache-Control", "no-store")], "text/plain")
        elif what == "cut":
            await self.send(200, text(number), [("Cache-Control", "no-store")], "text/plain", chunked="chunked" in parts, cut=number // 2)
        elif what == "cookies":
            fields = [("Cache-Control", "no-store")]
            if parts[-1] == "set":
                fields += [("Set-Cookie", f"c{n}={'x' * (3 + 5 * n)}; Path=/") for n in range(3)]
            await self.send(200, document(80), fields)
        elif what == "utf8":
            await self.send(200, json.dumps({"text": "日本語 ünïcödé Ωμέγα 🎈" * (1 + number), "got": len(self.body)}, ensure_ascii=False).encode(),
                            [("Cache-Control", "no-store")], "application/json; charset=utf-8")
        else:
            await self.send(404, document(70, error="none"), [("Cache-Control", "no-store")])

    def path_is(self, path):
        return self.target.split("?")[0] == path


REASONS = {200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
           307: "Temporary Redirect", 308: "Permanent Redirect", 404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable"}


async def main():
    global log
    log = open(sys.argv[1], "a")
    servers = []
    for place in sys.argv[2:]:
        address, port = place.rsplit(":", 1)
        servers.append(await asyncio.start_server(lambda r, w: Connection(r, w).run(), address, int(port), limit=2**20))
    await asyncio.gather(*(s.serve_forever() for s in servers))


asyncio.run(main())
