#!/usr/bin/env python3
"""Ask a name server, with EDNS and room for 4096 octets.   dns_query.py SERVER NAME TYPE [noedns]"""
import socket, struct, sys

server, name, kind = sys.argv[1], sys.argv[2], {"A": 1, "AAAA": 28, "TXT": 16}[sys.argv[3]]
edns = len(sys.argv) < 5
query = struct.pack(">6H", 0x1234, 0x0100, 1, 0, 0, int(edns)) + b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0"
query += struct.pack(">HH", kind, 1) + (b"\0\0\x29\x10\0\0\0\0\0\0\0" if edns else b"")
s = socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(5)
s.sendto(query, (server, 53))
answer = s.recv(65536)
print(name, sys.argv[3], len(answer), "octets, answers", struct.unpack(">H", answer[6:8])[0], "truncated" if answer[2] & 2 else "")
