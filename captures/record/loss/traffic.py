#!/usr/bin/env python3
"""Exchanges that say who they are: the traffic of the captures that `measure` mutilates.

    traffic.py serve NAME PORT
    traffic.py drive NAME ADDRESS PORT TRUTH

NAME is one-at-a-time, mixed or pipelined. Both ends make the same plan from the same seed, so each knows every octet that
the other sends and fails when one differs; what a report is held against later comes from the plan and not from a parser.

An exchange is told by either of its halves alone, because a capture with holes may have only one: the request's path ends
with the exchange's number (a CONNECT has it in its authority), and the response repeats it as a parameter of Content-Type.
Text in bodies that looks like start-lines has numbers from 900000 on, which no exchange has.

TRUTH is a CSV file with a row per exchange: where in the two TCP streams (0 is the first octet after the SYN) its messages
begin and end, and how far the octets go that tell it.
"""
import asyncio, csv, gzip, random, sys, zlib

SEED = 18
APIS = 40
HOST = "loss.example.com"
LONG = [4000, 4000, 2500, 2000, 1500, 1200, 1000, 800, 700, 600, 500, 400, 300, 250, 150, 100]
WORDS = "amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze candle canyon cedar".split()
SEGMENT = 1448  # payload of a full segment: MTU 1500 without IPv4's, TCP's and the timestamps' 52 octets


class Exchange:
    """One request and its answer, as lists of (pause before, octets): each entry is one write."""

    def __init__(self, number, api):
        self.number, self.api = number, api
        self.method, self.target, self.status = "GET", "", 200
        self.head, self.body = b"", []              # request
        self.expects = False                        # the body waits for the interim response
        self.interim, self.answer = b"", []         # response
        self.tunnel = None                          # after CONNECT: [(from the client, octets)]
        self.closes = False
        self.hold = False                           # pipelined: this answer leaves with the next one
        self.pause = 0.0                            # before the request


class Writer:
    """Makes text and fields; one per connection, so that a connection does not depend on the others."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.steady = self.rng.random() < 0.5       # requests of equal length, as an app's polling has

    def text(self, n):
        at = self.rng.randrange(len(TEXT) - n) if n else 0
        return TEXT[at:at + n]

    def words(self, n):
        return " ".join(self.rng.choice(WORDS) for _ in range(n))

    def body_size(self, most):
        draw = self.rng.random()
        if draw < 0.05: return 0
        if draw < 0.60: return self.rng.randrange(1, 1500)
        if draw < 0.65: return self.rng.choice([SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 4096])
        if draw < 0.90: return self.rng.randrange(1500, max(1501, min(6000, most)))
        return self.rng.randrange(min(6000, most // 2), most)

    def exchange(self, number):
        e = Exchange(number, f"api-{self.rng.randrange(APIS):02}")
        if self.steady:
            e.target = f"/{e.api}/items/{number:06}"
        else:
            e.target = f"/{e.api}/" + "/".join(self.rng.choice(WORDS) for _ in range(self.rng.randrange(1, 4))) + f"/{number:06}"
            if self.rng.random() < 0.4:
                e.target += "?" + "&".join(f"{self.rng.choice(WORDS)}={self.rng.randrange(10**6)}" for _ in range(self.rng.randrange(1, 5)))
        return e

    def request_head(self, e, extra="", version="HTTP/1.1", host=HOST):
        fields = f"Host: {host}\r\nUser-Agent: Example/2.0 (loss)\r\nAccept: application/json\r\n"
        if not self.steady and self.rng.random() < 0.3:
            fields += f"Cookie: session={self.rng.randrange(10**9)}; note={self.words(self.rng.randrange(1, 60)).replace(' ', '-')}\r\n"
        return f"{e.method} {e.target} {version}\r\n{fields}{extra}\r\n".encode()

    def response_head(self, e, extra="", version="HTTP/1.1", kind="application/json"):
        reason = {200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 304: "Not Modified", 404: "Not Found"}[e.status]
        fields = "Server: example/1.0\r\nDate: Sun, 13 Sep 2020 12:26:40 GMT\r\n" if self.rng.random() < 0.8 else ""
        fields += f"Content-Type: {kind}; n={e.number:06}\r\n"
        if self.rng.random() < 0.2:
            fields += f"Set-Cookie: session={self.rng.randrange(10**9)}; Path=/{e.api}\r\n"
        if self.rng.random() < 0.1:
            fields += f"X-Note: {self.words(self.rng.randrange(1, 80))}\r\n"
        return f"{version} {e.status} {reason}\r\n{fields}{extra}\r\n".encode()

    def false_number(self):
        return self.rng.randrange(900000, 1000000)

    def false_request(self):
        return (f"{self.rng.choice(['GET', 'POST', 'PUT', 'HEAD'])} /logged-{self.rng.randrange(20):02}/{self.rng.choice(WORDS)}/{self.false_number()}"
                f" HTTP/1.1\r\nHost: logged.example.com\r\nAccept: */*\r\n\r\n").encode()

    def false_response(self):
        content = self.text(self.rng.randrange(0, 300))
        return (f"HTTP/1.1 {self.rng.choice([200, 201, 404, 500])} OK\r\nContent-Type: application/json; n={self.false_number()}\r\n"
                f"Content-Length: {len(content)}\r\n\r\n").encode() + content

    def false(self, requests):
        return self.false_request() if requests else self.false_response()

    def log_body(self, size, head, requests):
        """Start-lines at line starts, and one at the start of each further segment if `head` octets come before the body."""
        if not size:
            return b""
        made = b"["
        while len(made) < size:
            made += self.text(self.rng.randrange(0, 500)) + b"\r\n"
            for _ in range(self.rng.randrange(1, 4)):
                made += self.false(requests)
            if self.rng.random() < 0.7:
                short = -(head + len(made)) % SEGMENT
                made += self.text(short - 2) + b"\r\n" if short > 2 else b" " * short
                made += self.false(requests)
        return made[:size]

    def batch_body(self, size, requests):
        """As a batch API or a proxy's log writes it: every part is a message's text and leaves in a write of its own."""
        parts, length = [], 0
        while length < size:
            part = self.false(requests) if self.rng.random() < 0.8 else self.text(self.rng.randrange(20, 900)) + b"\n"
            parts.append(part)
            length += len(part)
        return parts

    def chunks(self, octets, size=None):
        made, at = [], 0
        while at < len(octets):
            n = size or self.rng.choice([1, 16, 100, 500, 1000, 1440, 4096, 8192])
            part = octets[at:at + n]
            made.append(b"%x\r\n%s\r\n" % (len(part), part))
            at += len(part)
        trailer = b"X-Check: %d\r\n" % self.rng.randrange(10**6) if self.rng.random() < 0.15 else b""
        made.append(b"0\r\n" + trailer + b"\r\n")
        return made

    def writes(self, pieces):
        """All in one write, or each piece in its own with now and then a pause."""
        if self.rng.random() < 0.6 or len(pieces) > 60:
            return [(0, b"".join(pieces))] if pieces else []
        return [(0.003 if self.rng.random() < 0.3 else 0, p) for p in pieces]

    # --- shapes ------------------------------------------------------------------------------

    def plain_get(self, e, most, version="HTTP/1.1", keep=""):
        body = self.text(self.body_size(most))
        e.head = self.request_head(e, keep, version)
        head = self.response_head(e, f"Content-Length: {len(body)}\r\n" + keep, version)
        e.answer = [(0, head), (0.002, body)] if body and self.rng.random() < 0.05 else [(0, head + body)]
        return e

    def head_or_304(self, e, head, most):
        length = self.rng.randrange(10, most)
        e.method = "HEAD" if head else "GET"
        if head:
            e.status = 200
            kind = self.rng.random()
            extra = f"Content-Length: {length}\r\n" if kind < 0.8 else "Transfer-Encoding: chunked\r\n" if kind < 0.9 else ""
            e.head = self.request_head(e)
        else:
            e.status = 304
            extra = 'ETag: "e18"\r\n' + (f"Content-Length: {length}\r\n" if self.rng.random() < 0.3 else "")
            e.head = self.request_head(e, 'If-None-Match: "e18"\r\n')
        e.answer = [(0, self.response_head(e, extra))]
        return e

    def coded_get(self, e, most):
        """A chunked response, a gzip one, or both; some of them logs or batches."""
        size, draw = self.body_size(most), self.rng.random()
        gzipped, chunked = draw < 0.5, draw > 0.3
        e.head = self.request_head(e, "Accept-Encoding: gzip\r\n" if gzipped else "")
        if gzipped:
            content = self.text(size)
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            pieces = [packer.compress(content) + packer.flush()]
        elif self.rng.random() < 0.3:
            pieces = self.batch_body(size, False)
        else:
            pieces = [self.text(size)]
        extra = "Content-Encoding: gzip\r\n" if gzipped else ""
        if chunked:
            head = self.response_head(e, extra + "Transfer-Encoding: chunked\r\n")
            body = self.chunks(b"".join(pieces)) if len(pieces) < 2 else [b"%x\r\n%s\r\n" % (len(p), p) for p in pieces] + [b"0\r\n\r\n"]
        else:
            head, body = self.response_head(e, extra + f"Content-Length: {sum(map(len, pieces))}\r\n"), pieces
        e.answer = self.writes([head] + body)
        return e

    def upload(self, e, most, chunked, expects):
        e.method = self.rng.choice(["POST", "POST", "PUT"])
        size, draw = self.body_size(most), self.rng.random()
        fields = "Content-Type: text/plain\r\n" + ("Expect: 100-continue\r\n" if expects else "")
        if chunked:
            e.head = self.request_head(e, fields + "Transfer-Encoding: chunked\r\n")
            pieces = self.chunks(self.log_body(size, len(e.head), True) if draw < 0.2 else self.text(size))
        elif draw < 0.1:
            pieces = self.batch_body(size, True)
        else:
            pieces = [self.log_body(size, 400, True) if draw < 0.25 else self.text(size)]
        if not chunked:
            e.head = self.request_head(e, fields + f"Content-Length: {sum(map(len, pieces))}\r\n")
        e.body, e.expects = self.writes([p for p in pieces if p]), expects
        if expects and e.body:
            e.interim = b"HTTP/1.1 100 Continue\r\n\r\n"
        e.expects = bool(e.interim)
        e.status = self.rng.choice([200, 201, 201, 204])
        content = b"" if e.status == 204 else self.text(self.rng.randrange(0, 400))
        head = self.response_head(e, "" if e.status == 204 else f"Content-Length: {len(content)}\r\n")
        e.answer = [(0, head + content)]
        return e

    def log_get(self, e, most):
        """A proxied log: what it holds looks like messages, also at segments' starts."""
        size = self.body_size(most)
        e.head = self.request_head(e)
        extra = f"Content-Length: {size}\r\n"
        head = self.response_head(e, extra, kind="text/plain")
        e.answer = [(0, head + self.log_body(size, len(head), self.rng.random() < 0.3))]
        return e

    def batch_get(self, e, most):
        pieces = self.batch_body(self.body_size(most), False)
        e.head = self.request_head(e)
        head = self.response_head(e, f"Content-Length: {sum(map(len, pieces))}\r\n", kind="multipart/mixed")
        e.answer = [(0, head)] + [(0.002 if self.rng.random() < 0.3 else 0, p) for p in pieces]
        return e

    def until_close(self, e, most):
        """HTTP/1.0 or 1.1 without a length: the body ends with the connection."""
        version = self.rng.choice(["HTTP/1.0", "HTTP/1.1"])
        size = self.body_size(most)
        e.head = self.request_head(e, "Connection: close\r\n" if version == "HTTP/1.1" else "", version)
        head = self.response_head(e, "Connection: close\r\n", version)
        e.answer = self.writes([head] + (self.batch_body(size, False) if self.rng.random() < 0.2 else [self.text(size)]))
        e.closes = True
        return e

    def connect(self, e, opaque):
        """A tunnel; its later exchanges are those of the connection, unless it carries what only its ends can read."""
        authority = f"n{e.number:06}.{e.api}.example.com:{443 if opaque else 80}"
        e.method, e.target = "CONNECT", authority
        e.head = self.request_head(e, host=authority)
        e.answer = [(0, self.response_head(e))]
        e.tunnel = []
        if opaque:
            def record(kind, n):
                return bytes([kind, 3, 1 if kind == 22 else 3]) + n.to_bytes(2, "big") + self.rng.randbytes(n)
            e.tunnel = [(True, record(22, 512)), (False, record(22, 90) + record(23, 2900)), (True, record(23, 70))]
            for _ in range(self.rng.randrange(2, 30)):
                e.tunnel += [(True, record(23, self.rng.randrange(40, 600))), (False, record(23, self.rng.randrange(40, 9000)))]
        return e


def mixed(writer, e):
    """One exchange of the mixed capture, of any shape that leaves the connection open."""
    kind = writer.rng.choices(
        ["get", "head", "304", "204", "404", "upload", "chunked", "expect", "coded", "log", "batch", "hints", "http10"],
        [24, 9, 6, 4, 3, 10, 9, 6, 16, 5, 3, 2, 3])[0]
    if kind == "get": return writer.plain_get(e, 30000)
    if kind in ("head", "304"): return writer.head_or_304(e, kind == "head", 30000)
    if kind == "upload": return writer.upload(e, 30000, False, False)
    if kind == "chunked": return writer.upload(e, 30000, True, False)
    if kind == "expect": return writer.upload(e, 30000, writer.rng.random() < 0.3, True)
    if kind == "coded": return writer.coded_get(e, 30000)
    if kind == "log": return writer.log_get(e, 30000)
    if kind == "batch": return writer.batch_get(e, 20000)
    if kind == "http10": return writer.plain_get(e, 8000, "HTTP/1.0", "Connection: keep-alive\r\n")
    if kind == "hints":
        writer.plain_get(e, 8000)
        e.interim = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
        return e
    if kind == "204":
        e.method, e.status, e.head = writer.rng.choice(["GET", "DELETE"]), 204, b""
        e.head = writer.request_head(e)
        e.answer = [(0, writer.response_head(e))]
        return e
    writer.plain_get(e, 4000)
    e.answer = [(p, octets.replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 404 Not Found", 1)) for p, octets in e.answer]
    e.status = 404
    return e


def connections(name):
    """The plan: a list of connections, each a list of bursts, each a list of exchanges sent before an answer is read."""
    rng, number, plan = random.Random(f"{SEED} {name}"), 0, []
    if name == "mixed":
        lengths = [rng.choice([1, 2, 5, 20, 40, 80, 120, 160, 200]) for _ in range(199)]
        scale = 12000 / sum(lengths)
        lengths = [max(1, int(n * scale)) for n in lengths]
        lengths.append(12000 - sum(lengths))
    else:
        lengths = LONG if name == "one-at-a-time" else [200] * 60
    for ordinal, length in enumerate(lengths):
        writer, made = Writer(f"{SEED} {name} {ordinal}"), []
        for i in range(length):
            number += 1
            e = writer.exchange(number)
            if name == "one-at-a-time":
                writer.plain_get(e, 20000)
                e.pause = writer.rng.choices([0, writer.rng.uniform(0.005, 0.1), writer.rng.uniform(0.5, 2.5)], [97, 2.9, 0.1])[0]
            elif name == "pipelined":
                draw = writer.rng.random()
                if draw < 0.12: writer.head_or_304(e, draw < 0.06, 6000)
                else: writer.plain_get(e, 6000)
                e.hold = writer.rng.random() < 0.25
                e.pause = writer.rng.choices([0, writer.rng.uniform(0.01, 0.1), writer.rng.uniform(0.5, 2.0)], [95, 4.6, 0.4])[0]
            elif ordinal % 10 == 7 and i == 0 and length > 1:
                writer.connect(e, False)
            elif ordinal % 10 == 8 and i == length - 1:
                writer.connect(e, True)
            elif ordinal % 4 == 1 and i == length - 1:
                writer.until_close(e, 30000)
            else:
                mixed(writer, e)
                e.pause = writer.rng.choices([0, writer.rng.uniform(0.005, 0.1), writer.rng.uniform(0.5, 2.0)], [95, 4.7, 0.3])[0]
            made.append(e)
        bursts = []
        while made:
            n = writer.rng.randrange(1, 9) if name == "pipelined" else 1
            bursts.append(made[:n])
            made = made[n:]
            bursts[-1][-1].hold = False
        plan.append(bursts)
    return plan


def octets(writes):
    return b"".join(part for _, part in writes)


async def send(writer, writes):
    for pause, part in writes:
        if pause:
            await asyncio.sleep(pause)
        writer.write(part)
        await writer.drain()


async def expect(reader, wanted, what):
    got = await reader.readexactly(len(wanted))
    if got != wanted:
        raise SystemExit(f"{what}: not what was sent")


# --- the server's side -------------------------------------------------------------------------

async def serve(name, port):
    known = {e.number: e for bursts in connections(name) for burst in bursts for e in burst}

    async def answer(reader, writer):
        held = []
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1]
                number = int(target[1:7] if head.startswith(b"CONNECT") else target.split(b"?")[0][-6:])
                e = known[number]
                assert head == e.head
                if e.interim:
                    await send(writer, held + [(0, e.interim)])
                    held = []
                    await asyncio.sleep(0.001)
                await expect(reader, octets(e.body), f"request {number}")
                if e.hold:
                    held.append((0, octets(e.answer)))
                    continue
                if held:
                    await send(writer, [(0, octets(held) + octets(e.answer))])
                else:
                    await send(writer, e.answer)
                held = []
                for up, part in e.tunnel or []:
                    if up: await expect(reader, part, f"tunnel {number}")
                    else: await send(writer, [(0, part)])
                if e.closes:
                    break
        except asyncio.IncompleteReadError:
            pass
        writer.close()

    server = await asyncio.start_server(answer, "0.0.0.0", port, backlog=256, limit=1 << 20)
    async with server:
        await server.serve_forever()


# --- the client's side -------------------------------------------------------------------------

COLUMNS = ["client", "number", "api", "method", "status", "request_start", "request_told", "request_end",
           "interim_start", "response_start", "response_told", "response_end"]


async def drive(name, address, port, truth):
    gate, rows, done = asyncio.Semaphore(40), [], 0

    async def one(ordinal, bursts):
        nonlocal done
        rng = random.Random(f"{SEED} {name} {ordinal} client")
        async with gate:
            reader, writer = await asyncio.open_connection(address, port, limit=1 << 20)
            client = "%s:%d" % writer.get_extra_info("sockname")[:2]
            up = down = 0
            for burst in bursts:
                if burst[0].pause:
                    await asyncio.sleep(burst[0].pause)
                if len(burst) == 1:
                    e = burst[0]
                    if e.expects or rng.random() < 0.1:
                        await send(writer, [(0, e.head)])
                        if e.expects:
                            await expect(reader, e.interim, "interim")
                        await send(writer, e.body)
                    else:
                        await send(writer, [(0, e.head + octets(e.body[:1]))] + e.body[1:])
                else:
                    whole = b"".join(e.head for e in burst)
                    cuts = sorted(rng.sample(range(1, len(whole)), rng.randrange(1, 4))) if rng.random() < 0.4 else []
                    if rng.random() < 0.2:              # each request in a write of its own
                        cuts, at = [], 0
                        for e in burst[:-1]:
                            at += len(e.head)
                            cuts.append(at)
                    for start, end in zip([0] + cuts, cuts + [len(whole)]):
                        await send(writer, [(0.004 if start and rng.random() < 0.6 else 0, whole[start:end])])
                for e in burst:
                    if not e.expects:
                        await expect(reader, e.interim, "interim")
                    answer = octets(e.answer)
                    await expect(reader, answer, f"response {e.number}")
                    final = down + len(e.interim)
                    told = answer.index(b"\r\n", answer.index(b"Content-Type: ")) + 2
                    request = len(e.head) + sum(len(p) for _, p in e.body)
                    rows.append([client, e.number, e.api, e.method, e.status, up, up + e.head.index(b"\r\n") + 2, up + request,
                                 down, final, final + told, final + len(answer)])
                    up, down = up + request, final + len(answer)
                    for from_client, part in e.tunnel or []:
                        if from_client:
                            await send(writer, [(0, part)])
                            up += len(part)
                        else:
                            await expect(reader, part, "tunnel")
                            down += len(part)
                    done += 1
            if bursts[-1][-1].closes and await reader.read(1):
                raise SystemExit("more than was sent")
            writer.close()
            await writer.wait_closed()

    tasks = [asyncio.create_task(one(i, bursts)) for i, bursts in enumerate(connections(name))]
    await asyncio.gather(*tasks)
    with open(truth, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(COLUMNS)
        out.writerows(sorted(rows, key=lambda r: r[1]))
    print(f"{name}: {done} exchanges")


_text = random.Random(SEED)
TEXT = " ".join(_text.choice(WORDS) + str(_text.randrange(1000)) for _ in range(60000)).encode()

if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve(sys.argv[2], int(sys.argv[3])))
    else:
        asyncio.run(drive(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]))
