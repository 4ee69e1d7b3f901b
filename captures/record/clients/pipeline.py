#!/usr/bin/env python3
"""Send pipelined requests over raw sockets and count the octets of each request and each answer.

    pipeline.py ADDRESS PORT HOST LOG COUNT

Requests go out in bursts, several in one segment and some split over two, before any answer is read.
"""
import json, random, socket, sys

ADDRESS, PORT, HOST, LOG, COUNT = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
RNG = random.Random(5)


class Reader:
    def __init__(self, connection):
        self.connection, self.buffer, self.taken = connection, b"", 0

    def fill(self):
        data = self.connection.recv(65536)
        if not data:
            raise EOFError
        self.buffer += data

    def line(self):
        while b"\r\n" not in self.buffer:
            self.fill()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        self.taken += len(line) + 2
        return line

    def exactly(self, n):
        while len(self.buffer) < n:
            self.fill()
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        self.taken += n
        return data

    def response(self, method):
        """(status, octets of the whole response, octets of its content without chunk framing)"""
        start = self.taken
        status = int(self.line().split()[1])
        fields = {}
        while line := self.line():
            name, value = line.decode("latin-1").split(":", 1)
            fields[name.lower()] = value.strip()
        body = 0
        if method == "HEAD" or status in (204, 304) or status < 200:
            pass
        elif fields.get("transfer-encoding") == "chunked":
            while size := int(self.line().split(b";")[0], 16):
                body += len(self.exactly(size))
                self.line()
            while self.line():
                pass
        else:
            body = len(self.exactly(int(fields.get("content-length", 0))))
        return status, self.taken - start, body


def shape(n):
    kind = n % 8
    head = f"Host: {HOST}\r\nX-Request: p{n}\r\n"
    if kind == 0: return "GET", "/health", head, b""
    if kind == 1: return "GET", f"/text/{RNG.choice([10, 100, 1000, 4096])}.txt", head, b""
    if kind == 2: return "HEAD", "/text/4096.txt", head, b""
    if kind == 3: return "GET", f"/no/such/{n}", head, b""
    if kind == 4:
        body = b"word " * RNG.randrange(0, 60)
        return "POST", "/api/orders", head + f"Content-Length: {len(body)}\r\n", body
    if kind == 5: return "GET", "/nothing", head, b""
    if kind == 6:
        parts = [b"word " * RNG.randrange(1, 30) for _ in range(3)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"
        return "POST", "/api/log", head + "Transfer-Encoding: chunked\r\n", body
    return "GET", "/text/1000.txt", head + "Accept-Encoding: gzip\r\n", b""


def main():
    with open(LOG, "a") as log:
        done = 0
        while done < COUNT:
            connection = socket.create_connection((ADDRESS, PORT), timeout=10)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            local = connection.getsockname()
            reader, ordinal = Reader(connection), 0
            for _ in range(3):
                burst = []
                for _ in range(min(COUNT - done, RNG.randrange(2, 9))):
                    method, path, fields, body = shape(done)
                    burst.append((done, method, path, f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + body))
                    done += 1
                octets = b"".join(b[3] for b in burst)
                if not octets:
                    break
                cut = RNG.randrange(1, len(octets))
                connection.sendall(octets[:cut])
                connection.sendall(octets[cut:])
                for n, method, path, request in burst:
                    status, taken, body = reader.response(method)
                    ordinal += 1
                    log.write(json.dumps({
                        "client_address": local[0], "client_port": local[1], "server_address": ADDRESS, "server_port": PORT,
                        "ordinal": ordinal, "id": f"p{n}", "method": method, "host": HOST, "target": path, "status": status,
                        "client_request_bytes": len(request), "client_response_bytes": taken}) + "\n")
            connection.close()


main()
