#!/usr/bin/env python3
"""Chunked answers in all the spellings that RFC 9112 allows.   chunky.py PORT LOG"""
import sys, time
from counting import Log, Request, serve

port, log = int(sys.argv[1]), Log(sys.argv[2])
TEXT = ("amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze " * 20).encode()


def pieces(octets, size):
    return [octets[at:at + size] for at in range(0, len(octets), size)]


def handle(wire):
    while True:
        request = Request(wire)
        before, shape = wire.written, request.target.strip("/")
        fields = "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n"
        if shape == "early":
            wire.write(b"HTTP/1.1 102 Processing\r\n\r\n")
            wire.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
        if shape == "trailers":
            fields += "Trailer: X-First, X-Second\r\n"
        wire.write(f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode())
        size = {"many": 1, "slow": 100}.get(shape, 300)
        text = TEXT[:60] if shape == "many" else TEXT
        last, trailers = b"0", b""
        for n, part in enumerate(pieces(text, size)):
            line = b"%x" % len(part)
            if shape == "extensions":
                line += [b"", b";n=%d" % n, b' ; sum="a;b\\"c"; last', b";flag"][n % 4]
            if shape == "upper":
                line = line.upper()
            if shape == "zeros":
                line, last = b"0000" + line, b"0000"
            wire.write(line + b"\r\n" + part + b"\r\n")
            if shape == "slow":
                time.sleep(0.01)
        if shape == "extensions":
            last += b";end"
        if shape == "trailers":
            trailers = b"X-First: amber\r\nX-Second: anchor apple\r\nX-Second: arrow\r\n"
        wire.write(last + b"\r\n" + trailers + b"\r\n")
        log.add(wire, request, 200, wire.written - before, response_body_bytes=len(text), decoded_bytes=len(text))


serve(port, handle)
