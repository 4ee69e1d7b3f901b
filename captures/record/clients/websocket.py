#!/usr/bin/env python3
"""A WebSocket client that counts its octets: the exchange and the tunnel apart.

    websocket.py ADDRESS PORT HOST TARGET LOG MESSAGES
"""
import base64, json, random, socket, struct, sys, time

address, port, host, target, log, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5], int(sys.argv[6])
rng = random.Random(port)
wire = socket.create_connection((address, port), timeout=10)
local = wire.getsockname()
name = f"ws{port}"
request = (f"GET {target} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Request: {name}\r\n"
           f"Sec-WebSocket-Key: {base64.b64encode(rng.randbytes(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()
wire.sendall(request)
buffer = b""


def need(n):
    global buffer
    while len(buffer) < n:
        data = wire.recv(65536)
        if not data:
            raise EOFError
        buffer += data


def frame(opcode, payload):
    mask = rng.randbytes(4)
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0xFE]) + struct.pack(">H", len(payload))
    return bytes([0x80 | opcode]) + length + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(payload))


while b"\r\n\r\n" not in buffer:
    need(len(buffer) + 1)
head, buffer = buffer.split(b"\r\n\r\n", 1)
status, response = int(head.split()[1]), len(head) + 4
sent = got = 0
if status == 101:
    for n in range(count + 1):
        data = frame(1, b"word " * rng.randrange(0, 300)) if n < count else frame(8, b"\x03\xe8")
        wire.sendall(data)
        sent += len(data)
        need(2)
        length = buffer[1]
        at = 2
        if length == 126:
            need(4)
            length, at = struct.unpack(">H", buffer[2:4])[0], 4
        need(at + length)
        buffer, got = buffer[at + length:], got + at + length
        time.sleep(0.005)
wire.close()
with open(log, "a") as f:
    f.write(json.dumps({"client_address": local[0], "client_port": local[1], "server_address": address, "server_port": port, "ordinal": 1,
                        "id": name, "method": "GET", "host": host, "target": target, "status": status, "client_request_bytes": len(request),
                        "client_response_bytes": response, "note": f"tunnel-sent={sent} tunnel-received={got}"}) + "\n")
