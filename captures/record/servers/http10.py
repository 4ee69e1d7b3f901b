#!/usr/bin/env python3
"""Python's own http.server (HTTP/1.0, one request a connection), counting what passes.   http10.py PORT LOG FOLDER"""
import functools, http.server, socket, sys, types
from counting import Log

port, log, folder = int(sys.argv[1]), Log(sys.argv[2]), sys.argv[3]


class Tally:
    """A file that counts what goes through it."""
    def __init__(self, file):
        self.file, self.octets = file, 0

    def readline(self, *a):
        data = self.file.readline(*a)
        self.octets += len(data)
        return data

    def read(self, *a):
        data = self.file.read(*a)
        self.octets += len(data)
        return data

    def write(self, data):
        self.octets += len(data)
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


class Handler(http.server.SimpleHTTPRequestHandler):
    def setup(self):
        super().setup()
        self.rfile, self.wfile = Tally(self.rfile), Tally(self.wfile)
        self.status = 0

    def log_request(self, code="-", size="-"):
        self.status = int(code)

    def log_message(self, *a):
        pass

    def until_close(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        n = int(self.path.rsplit("/", 1)[1])
        self.wfile.write((b"amber anchor apple arrow " * (n // 25 + 1))[:n])

    def do_GET(self):
        if self.path.startswith("/until-close/"):
            self.until_close()
        else:
            super().do_GET()

    do_POST = until_close

    def finish(self):
        super().finish()
        if not getattr(self, "command", None):
            return
        wire = types.SimpleNamespace(client=self.client_address, server=self.connection.getsockname(), ordinal=0)
        fields = {"host": self.headers.get("Host", ""), "x-request": self.headers.get("X-Request", "")}
        request = types.SimpleNamespace(method=self.command, target=self.path, octets=self.rfile.octets, fields=fields)
        log.add(wire, request, self.status, self.wfile.octets)


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET


Server(("", port), functools.partial(Handler, directory=folder)).serve_forever()
