#!/usr/bin/env python3
"""Python's http.client, with the octets that its socket passed.   http_client.py ADDRESS PORT LOG"""
import http.client, json, socket, sys

address, port, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Tally(socket.socket):
    sent = got = 0

    def sendall(self, data, *flags):
        self.sent += len(data)
        return super().sendall(data, *flags)

    def recv_into(self, *a, **k):
        n = super().recv_into(*a, **k)
        self.got += n
        return n


with open(log, "a") as f:
    for n, (method, path, body) in enumerate([("GET", "/json/list-1.json", None), ("GET", "/until-close/3000", None),
                                              ("HEAD", "/index.html", None), ("POST", "/until-close/10", b"word=anchor")], 1):
        client = http.client.HTTPConnection(address, port, timeout=10)
        client.sock = Tally(socket.AF_INET, socket.SOCK_STREAM)
        client.sock.connect((address, port))
        wire, local = client.sock, client.sock.getsockname()
        client.request(method, path, body, {"X-Request": f"c{n}", "Host": "www.example.com"})
        response = client.getresponse()
        content = response.read()
        f.write(json.dumps({"client_address": local[0], "client_port": local[1], "server_address": address, "server_port": port, "ordinal": 1,
                            "id": f"c{n}", "method": method, "host": "www.example.com", "target": path, "status": response.status,
                            "client_request_bytes": wire.sent, "client_response_bytes": wire.got, "decoded_bytes": len(content)}) + "\n")
        client.close()
