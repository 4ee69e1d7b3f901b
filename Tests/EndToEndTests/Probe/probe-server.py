#!/usr/bin/env python3
"""An HTTP/1.1 server for the probe's tests: says exactly what it is told to, and counts what it gets.

usage: probe-server.py [--address ADDRESS] [--port N] [--log FILE] [--tls PEM]
       probe-server.py --told

Prints its port, then serves on ADDRESS (127.0.0.1) until it is ended. With --tls it speaks HTTPS, with the key and the
certificate of that file.

With --told it does what the lines of its standard input say, JSON each, and ends with it:
  {"serve": LOG, "tls": PEM}  serves on another port of 127.0.0.1, with a log of its own, and prints the port; PEM may be null
  {"answer": PORT}            lets the requests for /late have their response on that port

With --log, one JSON line per message, a request's at its end and a response's before its sending: who has the response of a
message finds both there:
  {"type", "host", "path", "target", "status", "line", "header", "body", "framing", "interim", "time"}, octets each;
  "sni" is the name in TLS, null without one; "body" is the content without chunk framing, "interim" the octets of 1xx responses before it.

Endpoints, by the first segment of the path; the rest of the path is free; any method unless said otherwise:
  /echo           200, the request's content
  /take           200, an empty content
  /bytes/N        200, N octets, Content-Length
  /gzip/N         200, about N octets of text as gzip, Content-Length
  /chunked/N      200, N octets in chunks of 1000
  /gzip-chunked/N 200, gzip in chunks of 100
  /deflate/N      200, as zlib
  /redirect/C/K   status C to /redirect/C/K-1, at last to /bytes/64
  /cookies        200, sets three cookies, one with an Expires date
  /etag           304 if If-None-Match is "v1", else 200 with that ETag
  /status/C       status C with a short body, none for 204 and 304
  /slow           200, 100000 octets promised; 1000 are sent at once, and no more until the client closes the connection
  /late           200, 10 octets, once the server is told so; at once without --told
  /stop           closes the connection when 100,000 octets of the request's content were read
  /cut            200, 5000 octets promised, 1000 sent, then the connection is closed
  /cut-gzip       the same with gzip content
  /auth           401 without Authorization (Basic), 200 with
  /continue       a 100 before the 200, whether asked for or not
  /nothing        closes the connection without a response
  /odd            200, odd spelling: repeated fields, lower case, another reason phrase
  /collect/K      503 to the first K requests, then 200; the log has the content of each request
  /cacheable      200, Cache-Control: max-age=60
  anything else   404
"""
import argparse, functools, gzip, json, socket, ssl, sys, threading, time, zlib

PHRASES = {200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
           304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
           401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 418: "", 429: "Too Many Requests",
           500: "Internal Server Error", 503: "Service Unavailable"}
LIMIT = 256 << 20  # octets of a request's content
PATIENCE = 600  # seconds without an octet after which a client is given up


class Peer:
    """A connection: reads exact octets, and knows how many a message had."""

    def __init__(self, connection):
        self.connection, self.buffer = connection, b""

    def line(self):
        while b"\n" not in self.buffer:
            if len(self.buffer) > 1 << 20:
                raise ConnectionError("line too long")
            self.more()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line + b"\n"

    def exactly(self, count):
        while len(self.buffer) < count:
            self.more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def more(self):
        piece = self.connection.recv(1 << 18)
        if not piece:
            raise ConnectionError("closed")
        self.buffer += piece


class Request:
    pass


def read_request(peer):
    """Reads one request; returns None when the connection ends before one starts."""
    try:
        line = peer.line()
    except ConnectionError:
        return None
    request = Request()
    request.time, request.start, request.header, request.fields = time.time(), line, 0, {}
    request.raw = line
    while True:
        field = peer.line()
        request.raw += field
        request.header += len(field)
        if field == b"\r\n":
            break
        name, _, value = field.partition(b":")
        request.fields[name.strip().lower().decode()] = value.strip().decode("utf-8", "replace")
    request.method, request.target = line.split(b" ")[0].decode(), line.split(b" ")[1].decode()
    request.path = request.target.split("?")[0]
    request.content, request.framing = b"", 0
    return request


def read_content(peer, request):
    if "chunked" in request.fields.get("transfer-encoding", "").lower():
        pieces = []
        while True:
            size = peer.line()
            request.framing += len(size) + 2
            count = int(size.split(b";")[0], 16)
            if count == 0:
                peer.exactly(2)
                break
            pieces.append(peer.exactly(count))
            peer.exactly(2)
        request.content = b"".join(pieces)
    else:
        length = int(request.fields.get("content-length") or 0)
        if length > LIMIT:
            raise ConnectionError("too long")
        request.content = peer.exactly(length)


@functools.lru_cache(maxsize=8)
def text(count):
    words = "".join("%d apple pear plum %x;" % (i * 7919, i * 104729) for i in range(count // 18 + 1))
    return words[:count].encode()


def chunks(content, size):
    return [content[i:i + size] for i in range(0, len(content), size)]


class Answer:
    """A response: status, fields in order (text or exact octets), content, and how it is sent."""

    def __init__(self, status=200, fields=(), content=b"", chunk=None, send=None, phrase=None):
        self.status, self.fields, self.content, self.chunk = status, list(fields), content, chunk
        self.send, self.phrase = send, PHRASES.get(status, "") if phrase is None else phrase
        self.interim = b""


def answer_to(request, late, refused=0):
    parts = request.path.strip("/").split("/")
    name, number = parts[0], int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
    if name == "echo":
        return Answer(200, [("Content-Type", "application/octet-stream")], request.content)
    if name == "take":
        return Answer(200)
    if name == "bytes":
        return Answer(200, [("Content-Type", "text/plain")], text(number))
    if name == "gzip":
        return Answer(200, [("Content-Encoding", "gzip")], gzip.compress(text(number), 6, mtime=0))
    if name == "deflate":
        return Answer(200, [("Content-Encoding", "deflate")], zlib.compress(text(number)))
    if name == "chunked":
        return Answer(200, [], text(number), chunk=1000)
    if name == "gzip-chunked":
        return Answer(200, [("Content-Encoding", "gzip")], gzip.compress(text(number), 6, mtime=0), chunk=100)
    if name == "redirect":
        left = int(parts[2])
        to = "/bytes/64" if left <= 1 else "/redirect/%d/%d" % (number, left - 1)
        return Answer(number, [("Location", to), ("Set-Cookie", "hop=%d; Path=/" % left)], b"moved\n")
    if name == "cookies":
        return Answer(200, [("Set-Cookie", "id=42; Path=/"), ("Set-Cookie", "theme=dark; Path=/; HttpOnly"), (
            "Set-Cookie", "old=1; Path=/; Expires=Wed, 09 Jun 2100 10:18:14 GMT")], b"set")
    if name == "etag":
        if request.fields.get("if-none-match") == '"v1"':
            return Answer(304, [("ETag", '"v1"')])
        return Answer(200, [("ETag", '"v1"')], text(500))
    if name == "status":
        return Answer(number, [], b"" if number in (204, 304) else b"status %d\n" % number)
    if name == "late":
        late.wait(PATIENCE)
        return Answer(200, [("Content-Type", "Text/Plain; charset=utf-8")], text(10))
    if name == "slow":
        return Answer(200, [], text(100_000), send=1000)
    if name == "cut":
        return Answer(200, [], text(5000), send=1000)
    if name == "cut-gzip":
        return Answer(200, [("Content-Encoding", "gzip")], gzip.compress(text(20_000), 6, mtime=0), send=1000)
    if name == "auth":
        if "authorization" not in request.fields:
            return Answer(401, [("WWW-Authenticate", 'Basic realm="probe"')], b"who?")
        return Answer(200, [], request.fields["authorization"].encode())
    if name == "continue":
        answer = Answer(200, [], request.content)
        answer.interim = b"HTTP/1.1 100 Continue\r\n\r\n"
        return answer
    if name == "odd":
        return Answer(200, [b"x-a: 1\r\n", b"X-B: 2\r\n", b"Vary: Accept\r\n", b"Vary: Cookie\r\n"],
                      b"odd", phrase="Fine")
    if name == "collect":
        return Answer(503 if refused <= number else 200)
    if name == "cacheable":
        return Answer(200, [("Cache-Control", "max-age=60")], b"keep me")
    return Answer(404, [], b"no such thing\n")


def response(request, answer):
    """The octets of the response that are sent, and the counts of them."""
    start = ("HTTP/1.1 %d %s\r\n" % (answer.status, answer.phrase)).encode()
    header = b"".join(f if isinstance(f, bytes) else ("%s: %s\r\n" % f).encode() for f in answer.fields)
    has_none = request.method == "HEAD" or answer.status in (204, 304)
    if answer.chunk:
        header += b"Transfer-Encoding: chunked\r\n"
    elif answer.status not in (204, 304):
        header += b"Content-Length: %d\r\n" % len(answer.content)
    header += b"\r\n"
    content = b"" if has_none else answer.content
    octets, framing = content, 0
    if answer.chunk and not has_none:
        pieces = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in chunks(content, answer.chunk)] + [b"0\r\n\r\n"]
        octets = b"".join(pieces)
        framing = len(octets) - len(content)
    sent = octets if answer.send is None else octets[:answer.send]
    return answer.interim + start + header + sent, {
        "line": len(start), "header": len(header), "body": len(sent) - framing, "framing": framing,
        "interim": len(answer.interim)}


class Server:
    """Serves on a port, with a log."""

    def __init__(self, address, port, log, tls, is_told):
        self.lock = threading.Lock()
        self.file = open(log, "w", buffering=1) if log else None
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(tls)
            self.context.sni_callback = lambda tls, name, _: self.names.__setitem__(tls, name)
        self.names = {}
        self.refused = 0
        self.late = threading.Event()
        if not is_told:
            self.late.set()
        self.socket = socket.create_server((address, port), backlog=256)
        self.port = self.socket.getsockname()[1]

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def note(self, message):
        if self.file:
            with self.lock:
                self.file.write(json.dumps(message) + "\n")

    def serve(self, connection):
        connection.settimeout(PATIENCE)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            peer = Peer(connection)
            while (request := read_request(peer)) is not None:
                if "100-continue" in request.fields.get("expect", ""):
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                if request.path == "/stop":
                    peer.exactly(100_000)
                    return
                read_content(peer, request)
                common = {"host": request.fields.get("host", ""), "path": request.path, "target": request.target,
                          "method": request.method}
                self.note({"type": "request", **common, "status": None, "line": len(request.start),
                           "header": request.header, "body": len(request.content), "framing": request.framing,
                           "interim": 0, "time": request.time, "sni": self.names.get(connection),
                           "content": request.content.decode() if request.path.startswith("/collect") else None,
                           "raw": request.raw.decode("utf-8", "replace")})
                if request.path.startswith("/collect"):
                    self.refused += 1
                if request.path == "/nothing":
                    return
                answer = answer_to(request, self.late, self.refused)
                octets, counts = response(request, answer)
                self.note({"type": "response", **common, "status": answer.status, **counts, "time": time.time()})
                connection.sendall(octets)
                if request.path == "/slow":
                    while connection.recv(1 << 16):
                        pass
                if answer.send is not None:
                    return
                if request.fields.get("connection", "").lower() == "close":
                    return
        except (ConnectionError, OSError, ValueError, IndexError):
            pass  # the client went away or spoke no HTTP: its connection ends, the server goes on
        finally:
            connection.close()


def do_as_told():
    servers = {}
    for line in sys.stdin:
        told = json.loads(line)
        if "answer" in told:
            servers[told["answer"]].late.set()
            continue
        server = Server("127.0.0.1", 0, told["serve"], told["tls"], is_told=True)
        servers[server.port] = server
        threading.Thread(target=server.run, daemon=True).start()
        print(server.port, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log")
    parser.add_argument("--tls")
    parser.add_argument("--told", action="store_true")
    arguments = parser.parse_args()
    if arguments.told:
        return do_as_told()
    server = Server(arguments.address, arguments.port, arguments.log, arguments.tls, is_told=False)
    print(server.port, flush=True)
    server.run()


if __name__ == "__main__":
    main()
