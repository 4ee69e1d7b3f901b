"""A day of a Python program that meters its own traffic.    python_meter.py KIND FOLDER

KIND is what asks: requests, httpx, aiohttp; `characters` is requests with a meter that takes characters for octets and
writes a row a call, redirects in it; `mitmproxy` is requests without a meter, at a proxy. Into FOLDER:

    log.csv             a row for each message, with a figure for each part
    totals.csv          the same rows with the whole message's length alone
    exchanges-log.csv   a row for each exchange: url, method, status, request_bytes, response_bytes, time, duration

`id` and `serial` are X-Id and X-Serial: for the truth alone. What each meter sees is what its library shows: requests lacks
Host (http.client adds it) and folds repeated fields; httpx shows all; aiohttp shows content decoded, and nothing of the
bodies of redirects.
"""
import asyncio, csv, gzip, json, os, ssl, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

kind, folder = sys.argv[1:]
SCHEME = os.environ.get("SITE_SCHEME", "http")
APP, OTHER = f"{SCHEME}://app.example.com", f"{SCHEME}://api.example.net"
if kind == "mitmproxy":
    APP = OTHER = f"{SCHEME}://proxy.example.com"
WORDS = "amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper "
lock, rows, exchanges = threading.Lock(), [], []


def text(octets):
    return (WORDS * (octets // len(WORDS) + 1))[:octets]


def day():
    """(method, url, parameters) of each call, in groups; those of a group are asked for at once."""
    call = lambda method, path, **more: (method, path if path.startswith("http") else APP + path, more)
    one = lambda *a, **k: [call(*a, **k)]
    yield [call("GET", f"/api/feed?page={i}") for i in range(24)]
    yield from (one("GET", f"/api/feed?page={i}") for i in range(12))
    yield [call("GET", "/same?k=1") for _ in range(18)]
    yield from (one("GET", "/same?k=1") for _ in range(6))
    yield from (one("GET", "/poll") for _ in range(16))
    yield [call("GET", "/poll") for _ in range(8)]
    for code in (301, 302, 303, 307, 308):
        yield one("GET", f"/r/{code}?n=40&to=/item/{code}")
        yield one("POST", f"/r/{code}?n=0&to=/up/redirected", body=text(300 + code))
    yield one("GET", "/r/302?n=10&to=/r/307%3Fn=20%26to=/r/301%253Fn=0%2526to=/item/3")
    yield [call("GET", "/r/302?n=40&to=/same?k=2") for _ in range(4)]
    for i in (1, 2, 3):
        yield one("GET", f"/etag/{i}")
        yield one("GET", f"/etag/{i}", headers={"If-None-Match": f'"tag-{i}"'})
    for n in (300, 5000, 40000):
        # mitmproxy 11 ends the connection at a trailer section.
        for path in ("/gz/cl", "/gz/chunked", "/br/cl", "/br/chunked", "/chunked", "/trailer")[:5 if kind == "mitmproxy" else 6]:
            yield one("GET", f"{path}/{n}")
    yield [call("GET", f"/chunked/{2000 + 100 * i}") for i in range(6)]
    for n in (0, 10, 1000, 30000):
        yield one("POST", "/up/string", body=text(n))
        yield one("POST", "/up/form", form={"name": "Zoë", "text": text(n)})
        yield one("POST", "/up/json", json={"text": "Zoë " + text(n)})
        yield one("POST", "/up/stream", stream=text(n).encode())
    for n in (1000, 30000) if kind == "mitmproxy" else ():
        yield one("POST", "/up/gzip", raw=gzip.compress(text(n).encode()), headers={"Content-Encoding": "gzip"})
    # What is encrypted is as large in the capture as it was.
    for n in (25000, 150000 if SCHEME == "https" else 3000000):
        yield one("PUT", "/big", body=text(n))
    yield [call("PUT", "/up/parallel", body=text(1000 + 700 * i)) for i in range(4)]
    for i in range(6):
        yield one("POST", f"/utf8/{i}", body="日本語 ünïcödé Ωμέγα 🎈" * (3 + i), headers={"Content-Type": "text/plain; charset=utf-8"})
        yield one("GET", f"/utf8/{5 * i}?q=gr%C3%BCn")
        yield one("GET", f"/item/größe/{i}")
    for code in (404, 500, 503, 204):
        yield one("GET", f"/status/{code}")
        yield one("GET", f"/status/{code}")
    for i in range(4):
        yield one("HEAD", f"/item/{i}")
        yield one("DELETE", f"/item/{i}")
    yield one("GET", "/cookies/set")
    yield one("GET", "/cookies/set")
    yield one("GET", "/cookies/echo")
    yield one("GET", "/cut/6000")
    yield one("GET", "/cut/chunked/6000")
    yield one("GET", "/silent/500", timeout=0.4)
    for i in range(8):
        yield one("GET", f"{OTHER}/item/{i}")
    yield [call("GET", f"{OTHER if i % 2 else APP}/poll") for i in range(8)]
    yield [call("GET", f"{OTHER if i % 2 else APP}/api/feed?page={i // 2}") for i in range(16)]
    for i in range(3):
        yield one("PUT", f"{OTHER}/up/other", body=text(400 * i))
    for i in range(40):
        yield one("POST" if i % 3 == 0 else "GET", f"/item/{i % 4}", **({"json": {"n": i}} if i % 3 == 0 else {}))


def note(url, method, identity, began, answered, ended, line, header, body, status=None, r_line=None, r_header=None, r_body=None, decoded=None,
         serial="", error=""):
    parts = urlsplit(str(url))
    target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    base = {"host": parts.netloc, "path": target, "method": method, "id": identity, "serial": serial}
    total = lambda *figures: "" if None in figures else sum(figures)
    cell = lambda figure: "" if figure is None else figure
    found = [{**base, "type": "request", "occur_time": f"{began:.6f}", "line_length": line, "header_length": header, "body_length": cell(body),
              "length": total(line, header, body)}]
    if status is not None:
        found.append({**base, "type": "response", "occur_time": f"{answered:.6f}", "line_length": cell(r_line), "header_length": cell(r_header),
                      "body_length": cell(r_body), "decoded_length": cell(decoded), "length": total(r_line, r_header, r_body or 0), "status": status,
                      "error": error})
    with lock:
        rows.extend(found)
        exchanges.append({"url": str(url), "method": method, "status": cell(status), "request_bytes": total(line, header, body or 0),
                          "response_bytes": total(r_line, r_header, r_body or 0) if status is not None else "", "time": f"{began:.6f}",
                          "duration": f"{ended - began:.6f}", "error": error, "id": identity, "serial": serial})


def section(fields):
    return sum(len(name) + len(value) + 4 for name, value in fields) + 2


class Counted:
    """A body given piece by piece."""

    def __init__(self, data):
        self.data, self.sent = data, 0

    def __iter__(self):
        for at in range(0, len(self.data), 4096):
            piece = self.data[at:at + 4096]
            self.sent += len(piece)
            yield piece

    async def pieces(self):
        for piece in self:
            yield piece


numbers = iter(range(10000, 99999))


def prepared(more):
    headers = {"X-Id": f"{next(numbers):05}", **more.get("headers", {})}
    body = more["body"].encode() if "body" in more else more.get("raw")
    return headers, body, Counted(more["stream"]) if "stream" in more else None


def with_requests():
    import requests
    from requests.adapters import HTTPAdapter

    class Meter(HTTPAdapter):
        def send(self, request, **more):
            began = time.time()
            line = len(f"{request.method} {request.path_url} HTTP/1.1\r\n")
            octets = lambda t: t if isinstance(t, bytes) else str(t).encode("latin-1", "replace")
            header = section((octets(n), octets(v)) for n, v in request.headers.items())
            size = lambda: request.body.sent if isinstance(request.body, Counted) else len(request.body or b"")
            common = request.url, request.method, request.headers["X-Id"]
            try:
                answer = super().send(request, **more)
            except requests.RequestException as error:
                note(*common, began, 0, time.time(), line, header, size(), error=type(error).__name__)
                raise
            answered, failed = time.time(), ""
            try:
                answer.content
            except requests.RequestException as error:
                answer._content, answer._content_consumed, failed = b"", True, type(error).__name__
            note(*common, began, answered, time.time(), line, header, size(), answer.status_code, len(f"HTTP/1.1 {answer.status_code} {answer.reason}\r\n"),
                 section(answer.headers.items()), answer.raw.tell(), len(answer.content), answer.headers.get("X-Serial", ""), failed)
            return answer

    session = requests.Session()
    adapter = HTTPAdapter if kind in ("characters", "mitmproxy") else Meter
    session.mount("http://", adapter(pool_connections=4, pool_maxsize=6))

    def ask(method, url, more):
        headers, body, stream = prepared(more)
        began = time.time()
        given = dict(headers=headers, timeout=more.get("timeout", 20), json=more.get("json"), allow_redirects=method != "HEAD",
                     data=more["form"] if "form" in more else stream if stream else body)
        try:
            answer = session.request(method, url, **given)
        except requests.RequestException as error:
            if kind == "characters":
                exchanges.append({"url": url, "method": method, "status": "", "request_bytes": "", "response_bytes": "", "time": f"{began:.6f}",
                                  "duration": f"{time.time() - began:.6f}", "error": type(error).__name__, "id": headers["X-Id"], "serial": ""})
            return
        if kind != "characters":
            return
        # Lengths of strings: what an app has in its hands, not what is sent.
        asked, serials = (answer.history or [answer])[0].request, [a.headers.get("X-Serial", "") for a in (*answer.history, answer)]
        content = more.get("body", asked.body.data if isinstance(asked.body, Counted) else asked.body or "")
        if "json" in more:
            content = json.dumps(more["json"], ensure_ascii=False)
        line = f"{method} {url} HTTP/1.1\n"
        fields = lambda given: "".join(f"{n}: {v}\n" for n, v in given.items())
        request = len(line) + len(fields(asked.headers)) + len(content)
        response = len(f"HTTP/1.1 {answer.status_code} {answer.reason}\n") + len(fields(answer.headers)) + len(answer.text)
        target = urlsplit(url)
        common = {"host": target.netloc, "path": target.path + ("?" + target.query if target.query else ""), "method": method, "id": headers["X-Id"],
                  "serial": " ".join(serials)}
        with lock:
            exchanges.append({"url": url, "method": method, "status": answer.status_code, "request_bytes": request, "response_bytes": response,
                              "time": f"{began:.6f}", "duration": f"{time.time() - began:.6f}", "id": headers["X-Id"], "serial": " ".join(serials)})
            rows.append({**common, "type": "request", "occur_time": f"{began:.6f}", "line_length": len(line), "header_length": len(fields(asked.headers)),
                         "body_length": len(content), "length": request})
            rows.append({**common, "type": "response", "occur_time": f"{began + answer.elapsed.total_seconds():.6f}", "status": answer.status_code,
                         "line_length": len(f"HTTP/1.1 {answer.status_code} {answer.reason}\n"), "header_length": len(fields(answer.headers)),
                         "body_length": len(answer.text), "length": response})

    with ThreadPoolExecutor(6) as pool:
        for group in day():
            list(pool.map(lambda c: ask(*c), group))


def with_httpx():
    import httpx

    class Meter(httpx.HTTPTransport):
        def handle_request(self, request):
            began = time.time()
            line = len(request.method) + len(request.url.raw_path) + len("  HTTP/1.1\r\n")
            header = section(request.headers.raw)
            common = request.url, request.method, request.headers["X-Id"]
            counted = request.extensions.get("counted")
            size = lambda: counted.sent if counted else len(request.read())
            try:
                answer = super().handle_request(request)
            except httpx.TransportError as error:
                note(*common, began, 0, time.time(), line, header, size(), error=type(error).__name__)
                raise
            answered, pieces, failed = time.time(), [], ""
            try:
                for piece in answer.stream:
                    pieces.append(piece)
            except httpx.TransportError as error:
                failed = type(error).__name__
            answer.stream.close()
            raw = b"".join(pieces)
            decoded = httpx.Response(200, headers=answer.headers, content=raw) if not failed else None
            note(*common, began, answered, time.time(), line, header, size(), answer.status_code,
                 len(f"HTTP/1.1 {answer.status_code} ") + len(answer.extensions.get("reason_phrase", b"")) + 2, section(answer.headers.raw), len(raw),
                 len(decoded.content) if decoded else None, answer.headers.get("X-Serial", ""), failed)
            if failed:
                raise httpx.ReadError(failed)
            return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(raw), extensions=answer.extensions)

    # Over TLS by HTTP/2, with a certificate of the recording's own. The key log is that of SSLKEYLOGFILE.
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    kind_of_transport = httpx.HTTPTransport if kind == "mitmproxy" else Meter
    client = httpx.Client(transport=kind_of_transport(verify=trust, http2=SCHEME == "https", limits=httpx.Limits(max_connections=6)),
                          follow_redirects=True, timeout=20)

    def ask(method, url, more):
        headers, body, stream = prepared(more)
        given = {"json": more["json"]} if "json" in more else {"data": more["form"]} if "form" in more else {"content": stream or body}
        try:
            client.request(method, url, headers=headers, timeout=more.get("timeout", 20), extensions={"counted": stream} if stream else None, **given)
        except httpx.HTTPError:
            pass

    with ThreadPoolExecutor(6) as pool:
        for group in day():
            list(pool.map(lambda c: ask(*c), group))


async def with_aiohttp():
    import aiohttp

    class Hop:
        def __init__(self, method, url, headers):
            self.began, self.method, self.url, self.headers, self.sent, self.answered = time.time(), method, url, headers, 0, None

    def finish(hop, answer=None, error="", received=None):
        line = len(hop.method) + len(str(hop.url.raw_path_qs)) + len("  HTTP/1.1\r\n")
        header = section((n, v) for n, v in hop.headers.items())
        common = hop.url, hop.method, hop.headers["X-Id"], hop.began, hop.answered or 0, time.time(), line, header, hop.sent
        if answer is None:
            note(*common, error=error)
            return
        declared = answer.headers.get("Content-Length")
        body = received if received is None or error else int(declared) if declared and hop.method != "HEAD" else received
        note(*common, answer.status, len(f"HTTP/1.1 {answer.status} {answer.reason}\r\n"), section(answer.raw_headers), body, received,
             answer.headers.get("X-Serial", ""), error)

    trace = aiohttp.TraceConfig(lambda trace_request_ctx: trace_request_ctx)

    async def headers_sent(session, state, said):
        state["hop"] = Hop(said.method, said.url, said.headers.copy())
        state["received"] = 0

    async def chunk_sent(session, state, said):
        state["hop"].sent += len(said.chunk)

    async def redirected(session, state, said):
        state["hop"].answered = time.time()
        finish(state["hop"], said.response)

    async def answered(session, state, said):
        state["hop"].answered = time.time()

    async def received(session, state, said):
        state["received"] += len(said.chunk)

    for signal, handler in ((trace.on_request_headers_sent, headers_sent), (trace.on_request_chunk_sent, chunk_sent), (trace.on_request_redirect, redirected),
                            (trace.on_request_end, answered), (trace.on_response_chunk_received, received)):
        signal.append(handler)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=6), trace_configs=[trace]) as session:
        async def ask(method, url, more):
            headers, body, stream = prepared(more)
            state = {}
            given = {"json": more["json"]} if "json" in more else {"data": more["form"]} if "form" in more else {"data": stream.pieces() if stream else body}
            answer = None
            try:
                answer = await session.request(method, url, headers=headers, trace_request_ctx=state, allow_redirects=method != "HEAD",
                                               timeout=aiohttp.ClientTimeout(more.get("timeout", 20)), **given)
                await answer.read()
                finish(state["hop"], answer, received=state["received"])
            except (aiohttp.ClientError, asyncio.TimeoutError) as error:
                finish(state["hop"], answer, type(error).__name__, state["received"] if answer else None)

        for group in day():
            await asyncio.gather(*(ask(*c) for c in group))


if kind == "httpx" or kind == "mitmproxy" and SCHEME == "https":
    with_httpx()
elif kind == "aiohttp":
    asyncio.run(with_aiohttp())
else:
    with_requests()


def write(name, columns, found):
    with open(f"{folder}/{name}", "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(found)


if kind != "mitmproxy":
    # `id` and `serial` are for the truth; no reader of logs looks at them.
    write("log.csv", ["host", "path", "type", "occur_time", "length", "line_length", "header_length", "body_length", "decoded_length", "method", "status",
                      "error", "id", "serial"], rows)
    write("totals.csv", ["host", "path", "type", "occur_time", "length", "method", "status", "error", "id", "serial"], rows)
    write("exchanges-log.csv", ["url", "method", "status", "request_bytes", "response_bytes", "time", "duration", "error", "id", "serial"], exchanges)
print(kind, len(rows), "rows,", len(exchanges), "exchanges")
