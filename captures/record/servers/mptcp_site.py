#!/usr/bin/env python3
"""HTTP/1.1 over Multipath TCP: /NAME/N has N octets.   mptcp_site.py PORT [CERTIFICATE KEY]"""
import socket
import ssl
import sys
import threading

IPPROTO_MPTCP = 262
port, *pair = sys.argv[1:]
context = None
if pair:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)


def serve(connection):
    with connection:
        stream = context.wrap_socket(connection, server_side=True) if context else connection
        reader = stream.makefile("rb")
        while line := reader.readline():
            path, length = line.split()[1], 0
            while (field := reader.readline()) not in (b"\r\n", b""):
                if field.lower().startswith(b"content-length:"):
                    length = int(field.split(b":")[1])
            reader.read(length)
            count = int(path.rsplit(b"/", 1)[1])
            content = (b"the quick brown fox " * (count // 20 + 1))[:count]
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % count + content)


listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("", int(port)))
listener.listen(16)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
