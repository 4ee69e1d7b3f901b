"""A connection that counts its own octets, and a log in the witness's form: what the Python servers share."""
import json, socket, threading


class Counted:
    """Wraps a connected socket: `read` and `written` are the octets that passed, pushed-back ones not among them."""

    def __init__(self, connection):
        self.connection, self.read, self.written, self.buffer = connection, 0, 0, b""
        self.ordinal = 0
        self.client, self.server = connection.getpeername(), connection.getsockname()

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise EOFError
        self.buffer += data

    def take(self, n):
        while len(self.buffer) < n:
            self.more()
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        self.read += n
        return data

    def line(self):
        while b"\n" not in self.buffer:
            self.more()
        return self.take(self.buffer.index(b"\n") + 1)

    def write(self, data):
        self.connection.sendall(data)
        self.written += len(data)


class Request:
    """One request, read whole: `octets` on the wire, `body` without chunk framing."""

    def __init__(self, wire, on_head=None):
        begun = wire.read
        line = wire.line()
        while line in (b"\r\n", b"\n"):
            line = wire.line()
        self.method, self.target, self.version = line.decode("latin-1").split()
        self.fields = {}
        while (line := wire.line()) not in (b"\r\n", b"\n"):
            name, value = line.decode("latin-1").split(":", 1)
            self.fields[name.strip().lower()] = value.strip()
        if on_head:
            on_head(self)
        self.body = b""
        if self.fields.get("transfer-encoding", "").lower() == "chunked":
            while size := int(wire.line().split(b";")[0], 16):
                self.body += wire.take(size)
                wire.line()
            while wire.line() not in (b"\r\n", b"\n"):
                pass
        else:
            self.body = wire.take(int(self.fields.get("content-length", 0)))
        self.octets = wire.read - begun


class Log:
    def __init__(self, path):
        self.file, self.lock = open(path, "a", buffering=1), threading.Lock()

    def add(self, wire, request, status, response, **more):
        wire.ordinal += 1
        plain = lambda address: address[0].replace("::ffff:", "")
        row = {"client_address": plain(wire.client), "client_port": wire.client[1], "server_address": plain(wire.server),
               "server_port": wire.server[1], "ordinal": wire.ordinal, "method": request.method, "host": request.fields.get("host", ""),
               "target": request.target, "status": status, "request_bytes": request.octets, "response_bytes": response,
               "id": request.fields.get("x-request", ""), **more}
        with self.lock:
            self.file.write(json.dumps(row) + "\n")


def serve(port, handle):
    """Accept on every address, one thread a connection."""
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
    def run(connection):
        wire = Counted(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            handle(wire)
        except (EOFError, ConnectionError, TimeoutError):
            pass
        finally:
            connection.close()
    while True:
        connection, _ = listener.accept()
        connection.settimeout(20)
        threading.Thread(target=run, args=(connection,), daemon=True).start()
