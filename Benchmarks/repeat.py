"""Writes a capture COUNT times over, each copy an hour after the one before, as one capture on standard output."""
import struct
import sys

path, count = sys.argv[1], int(sys.argv[2])
with open(path, "rb") as file:
    capture = bytearray(file.read())
order = {b"\xd4\xc3\xb2\xa1": "<I", b"\x4d\x3c\xb2\xa1": "<I", b"\xa1\xb2\xc3\xd4": ">I", b"\xa1\xb2\x3c\x4d": ">I"}
number = struct.Struct(order[bytes(capture[:4])])
records = []
offset = 24
while offset < len(capture):
    records.append(offset)
    offset += 16 + number.unpack_from(capture, offset + 8)[0]
out = sys.stdout.buffer
out.write(capture[:24])
body = memoryview(capture)[24:]
for copy in range(count):
    if copy:
        for record in records:
            number.pack_into(capture, record, number.unpack_from(capture, record)[0] + 3600)
    out.write(body)
