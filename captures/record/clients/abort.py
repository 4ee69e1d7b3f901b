#!/usr/bin/env python3
"""Clients that misbehave, over raw sockets.   abort.py ADDRESS HOST LOG

Logs the octets of each request as sent; of a response, those that were read before the end.
"""
import json, socket, struct, sys, time

address, host, log = sys.argv[1:4]


def play(name, method, target, parts, read=None, reset=False, half_close=False, port=80, wait=0.0):
    """Send the parts, read so many octets (None: to the end), leave by FIN or RST."""
    wire = socket.create_connection((address, port), timeout=8)
    if read is not None:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    local, sent, got = wire.getsockname(), 0, 0
    try:
        for part in parts:
            wire.sendall(part)
            sent += len(part)
            if len(parts) > 1:
                time.sleep(0.03)
        if half_close:
            wire.shutdown(socket.SHUT_WR)
        while read is None or got < read:
            data = wire.recv(4096 if read is None else min(4096, read - got))
            if not data:
                break
            got += len(data)
    except OSError as error:
        print(name, error)
    time.sleep(wait)
    if reset:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()
    with open(log, "a") as f:
        f.write(json.dumps({"client_address": local[0], "client_port": local[1], "server_address": address, "server_port": port, "ordinal": 1,
                            "id": name, "method": method, "host": host, "target": target, "client_request_bytes": sent,
                            "note": f"read={got}"}) + "\n")


def head(name, method="GET", target="/", more=""):
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nX-Request: {name}\r\n{more}\r\n".encode()


play("reset-in-download", "GET", "/slow/text/200000.txt", [head("reset-in-download", target="/slow/text/200000.txt")], read=20000, reset=True)
play("close-in-download", "GET", "/slow/text/200000.txt", [head("close-in-download", target="/slow/text/200000.txt")], read=20000)
play("half-closed", "GET", "/text/1000.txt", [head("half-closed", target="/text/1000.txt", more="Connection: close\r\n")], half_close=True)
play("half-a-request", "", "", [b"GET /text/1000.txt HTTP/1.1\r\nHost: exam"], read=0)
play("half-an-upload", "POST", "/api/orders", [head("half-an-upload", "POST", "/api/orders", "Content-Length: 5000\r\n"), b"word " * 300], read=0, wait=0.05)
play("garbage", "", "", [b"\x16\x00 this is no request\r\n\r\n"])
play("two-lengths", "POST", "/api/orders", [head("two-lengths", "POST", "/api/orders", "Content-Length: 5\r\nContent-Length: 6\r\n") + b"worda"])
play("no-host", "GET", "/", [b"GET / HTTP/1.1\r\nX-Request: no-host\r\n\r\n"])
play("long-target", "GET", "/" + "amber-" * 3000, [head("long-target", target="/" + "amber-" * 3000)])
play("empty-lines-first", "GET", "/health", [b"\r\n\r\n" + head("empty-lines-first", target="/health", more="Connection: close\r\n")])
play("bare-line-feeds", "GET", "/health", [f"GET /health HTTP/1.1\nHost: {host}\nX-Request: bare-line-feeds\nConnection: close\n\n".encode()])
play("octet-by-octet", "GET", "/health", [bytes([b]) for b in head("octet-by-octet", target="/health", more="Connection: close\r\n")][:40] +
     [head("octet-by-octet", target="/health", more="Connection: close\r\n")[40:]])
play("http-0.9", "GET", "/health", [b"GET /health\r\n"])
