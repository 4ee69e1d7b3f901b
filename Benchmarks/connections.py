"""Writes a capture of 10,000 connections of one exchange each, closed by both sides, over 600 s. `INDEX` from 0 on says which of a row of
captures: each goes on where the one before ends, and no two have the same endpoints. `COUNT` writes so many of them as one capture.
With `--halves` they begin in 10 s, and answers come 10 s for each capture later: a cut in the middle is one in the middle of each.

    connections.py INDEX [COUNT] [--halves] > FILE
"""
import struct
import sys

CONNECTIONS = 10_000
# Microseconds from one connection to the next.
APART = 60_000
START = 1_700_000_000_000_000
SYN, ACK, PUSH, FIN = 2, 16, 8, 1
SERVER = bytes([198, 51, 100, 1])
REQUEST = b"GET /items/%04d HTTP/1.1\r\nHost: h%d.example\r\nUser-Agent: bench/1.0\r\nAccept: application/json\r\n\r\n"
RESPONSE = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 160\r\n\r\n{"items":"' + 148 * b"x" + b'"}'


def rows(request_length):
    """From the client or not, sequence number, acknowledgment, flags, length of the payload."""
    after, end = 1001 + request_length, 5001 + len(RESPONSE)
    return [
        (True, 1000, 0, SYN, 0), (False, 5000, 1001, SYN | ACK, 0), (True, 1001, 5001, ACK, 0),
        (True, 1001, 5001, PUSH | ACK, request_length), (False, 5001, after, PUSH | ACK, len(RESPONSE)),
        (True, after, end, FIN | ACK, 0), (False, end, after + 1, FIN | ACK, 0), (True, after + 1, end + 1, ACK, 0),
    ]


class Template:
    """The packets of a connection, in which times, the client and the request are filled in."""

    def __init__(self, request_length):
        self.format, self.parts = ">", []
        for from_client, sequence, acknowledgment, flags, length in rows(request_length):
            record = struct.pack("<II", 40 + length, 40 + length)
            ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + length, 0, 0x4000, 64, 6, 0)
            tcp = struct.pack("!IIBBHHH", sequence, acknowledgment, 0x50, flags, 65535, 0, 0)
            self.format += "8s20s4s4sHH16s" + (f"{length}s" if length else "")
            self.parts.append((from_client, record + ip, tcp, length))
        self.packer = struct.Struct(self.format)

    def fill(self, time, client, port, request, pause):
        values = []
        for index, (from_client, before, tcp, length) in enumerate(self.parts):
            time += pause if index == 4 else 0 if halves else 1000
            values += (struct.pack("<II", *divmod(time, 1_000_000)), before)
            values += (client, SERVER, port, 80, tcp) if from_client else (SERVER, client, 80, port, tcp)
            if length:
                values.append(request if from_client else RESPONSE)
        return self.packer.pack(*values)


halves = "--halves" in sys.argv
numbers = [int(argument) for argument in sys.argv[1:] if argument != "--halves"]
first, count = numbers[0], numbers[1] if len(numbers) > 1 else 1
apart = 1000 if halves else APART
pause = count * CONNECTIONS * apart if halves else 1000
template = Template(len(REQUEST % (0, 0)))
# Octets up to the response.
half = 4 * 16 + 4 * 40 + len(REQUEST % (0, 0))
later = []
output = sys.stdout.buffer
output.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
for capture in range(first, first + count):
    begin = START + capture * CONNECTIONS * apart
    client = bytes([10, capture >> 8, capture & 255, 1])
    connections = [
        template.fill(begin + index * apart, client, 20_000 + index, REQUEST % (index * 7919 % 200, index % 5), pause)
        for index in range(CONNECTIONS)
    ]
    if halves:
        later += (connection[half:] for connection in connections)
        connections = [connection[:half] for connection in connections]
    output.write(b"".join(connections))
output.write(b"".join(later))
