#!/usr/bin/env python3
"""Sends requests over one connection of Multipath TCP, one after another. Prints a line of figures for each.

    mptcp_client.py ADDRESS PORT CERTIFICATE|- PATH|PATH=OCTETS|down:INTERFACE...

A path with a number of octets is a POST with a content of that length. `down` takes an interface of the namespace down. With a certificate the
connection has TLS, and its secrets go to the file in SSLKEYLOGFILE.
"""
import os
import socket
import ssl
import subprocess
import sys

IPPROTO_MPTCP = 262
address, port, certificate, *targets = sys.argv[1:]
stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
stream.settimeout(60)
stream.connect((address, int(port)))
if certificate != "-":
    context = ssl.create_default_context(cafile=certificate)
    context.keylog_filename = os.environ["SSLKEYLOGFILE"]
    stream = context.wrap_socket(stream, server_hostname="www.example.com")
reader = stream.makefile("rb")
for target in targets:
    if target.startswith("down:"):
        subprocess.run(["ip", "link", "set", target[5:], "down"], check=True)
        continue
    path, _, octets = target.partition("=")
    content = b"x" * int(octets or 0)
    method = "POST" if octets else "GET"
    head = f"{method} {path} HTTP/1.1\r\nHost: www.example.com\r\n"
    if octets:
        head += f"Content-Length: {len(content)}\r\n"
    request = head.encode() + b"\r\n" + content
    stream.sendall(request)
    length, answer = 0, b""
    while not answer.endswith(b"\r\n\r\n"):
        line = reader.readline()
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        answer += line
    body = reader.read(length)
    print(method, path, len(request), len(content), len(answer) + len(body), len(body), sep=",", flush=True)
stream.close()
