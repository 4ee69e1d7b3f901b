#!/usr/bin/env python3
"""One text in every content coding.   coded.py PORT LOG FOLDER

GET /words.txt?coding=NAME[&chunks=N], NAME one of those below.
"""
import os, sys
from urllib.parse import parse_qs, urlsplit
from counting import Log, Request, serve

port, log, folder = int(sys.argv[1]), Log(sys.argv[2]), sys.argv[3]
# name: (Content-Encoding, file)
CODINGS = {"identity": (None, ""), "gzip": ("gzip", ".gz"), "x-gzip": ("x-gzip", ".gz"), "br": ("br", ".br"), "zstd": ("zstd", ".zst"),
           "deflate": ("deflate", ".deflate"), "raw-deflate": ("deflate", ".raw-deflate"),
           "gzip-members": ("gzip", ".gz-members"), "gzip-gzip": ("gzip, gzip", ".gz-gz"),
           "wrong": ("gzip", ""), "unknown": ("x-made-up", ""), "cut": ("gzip", ".gz")}


def handle(wire):
    while True:
        request = Request(wire)
        query = parse_qs(urlsplit(request.target).query)
        coding, suffix = CODINGS[query.get("coding", ["identity"])[0]]
        with open(os.path.join(folder, "words.txt" + suffix), "rb") as f:
            body = f.read()
        decoded = os.path.getsize(os.path.join(folder, "words.txt"))
        if query.get("coding") == ["cut"]:
            body = body[:len(body) // 2]
        if query.get("coding", [""])[0] in ("wrong", "unknown", "cut"):
            decoded = ""
        chunks = int(query.get("chunks", ["0"])[0])
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        if coding:
            head += f"Content-Encoding: {coding}\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n" if not chunks else "Transfer-Encoding: chunked\r\n\r\n"
        before = wire.written
        wire.write(head.encode())
        content = len(body)
        if request.method == "HEAD":
            content, decoded = 0, ""
        elif not chunks:
            wire.write(body)
        else:
            size = -(-len(body) // chunks)
            for at in range(0, len(body), size):
                part = body[at:at + size]
                wire.write(b"%x\r\n%s\r\n" % (len(part), part))
            wire.write(b"0\r\n\r\n")
        log.add(wire, request, 200, wire.written - before, response_body_bytes=content, decoded_bytes=decoded)


serve(port, handle)
