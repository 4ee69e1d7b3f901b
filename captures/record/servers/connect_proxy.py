#!/usr/bin/env python3
"""A forward proxy that knows CONNECT alone: in clear text on one port, over TLS on the one after it.

usage: connect_proxy.py PORT LOG CERTIFICATE KEY

The log has a line for each tunnel: its target, and how many octets of it passed up and down.
"""
import json, socket, ssl, sys, threading

log_lock = threading.Lock()


def copy(source, sink, counts, key):
    try:
        while octets := source.recv(65536):
            counts[key] += len(octets)
            sink.sendall(octets)
    except OSError:
        pass
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(near, log):
    head = b""
    while b"\r\n\r\n" not in head:
        octets = near.recv(4096)
        if not octets:
            return near.close()
        head += octets
    head, rest = head.split(b"\r\n\r\n", 1)
    method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
    if method != "CONNECT":
        near.sendall(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return near.close()
    host, port = target.rsplit(":", 1)
    try:
        far = socket.create_connection((host, int(port)), 5)
    except OSError:
        near.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return near.close()
    near.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    far.sendall(rest)
    counts = {"up": len(rest), "down": 0}
    threads = [threading.Thread(target=copy, args=(near, far, counts, "up")),
               threading.Thread(target=copy, args=(far, near, counts, "down"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    near.close()
    far.close()
    with log_lock, open(log, "a") as file:
        file.write(json.dumps({"target": target, **counts}) + "\n")


def listen(port, log, context):
    listener = socket.create_server(("", port))
    while True:
        near, _ = listener.accept()

        def answer(near=near):
            try:
                serve(context.wrap_socket(near, server_side=True) if context else near, log)
            except (OSError, ValueError):
                near.close()

        threading.Thread(target=answer, daemon=True).start()


def main():
    port, log = int(sys.argv[1]), sys.argv[2]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    threading.Thread(target=listen, args=(port + 1, log, context), daemon=True).start()
    listen(port, log, None)


if __name__ == "__main__":
    main()
