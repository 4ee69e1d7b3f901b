"""Writes a capture of N connections that are all open at the end: handshake and one exchange each."""
import struct
import sys

count = int(sys.argv[1])
request = b"GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n"
response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def packet(source, source_port, target, target_port, sequence, acknowledgment, flags, payload=b""):
    tcp = struct.pack("!HHIIBBHHH", source_port, target_port, sequence, acknowledgment, 0x50, flags, 65535, 0, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0, source, target)
    return ip + tcp + payload


server = bytes([198, 51, 100, 1])
with open(sys.argv[2], "wb", buffering=1 << 20) as writer:
    writer.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
    time = 1_700_000_000_000_000

    def write(data):
        global time
        time += 1
        writer.write(struct.pack("<IIII", time // 1_000_000, time % 1_000_000, len(data), len(data)) + data)

    for index in range(count):
        client = bytes([10, index >> 22 & 255, index >> 14 & 255, 1])
        port = 1024 + (index & 0x3FFF)
        write(packet(client, port, server, 80, 1000, 0, 2))
        write(packet(server, 80, client, port, 5000, 1001, 0x12))
        write(packet(client, port, server, 80, 1001, 5001, 0x10))
        write(packet(client, port, server, 80, 1001, 5001, 0x18, request))
        write(packet(server, 80, client, port, 5001, 1001 + len(request), 0x18, response))
