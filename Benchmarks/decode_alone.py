"""Prints the seconds that libdeflate alone takes for the gzip bodies of a capture, the fastest of RUNS passes over all of them.

    decode_alone.py CAPTURE [RUNS]

For captures as make-captures makes them: Ethernet, IPv4, responses with Content-Length or in chunks from port 80, every segment
once and in order.
"""
import ctypes
import ctypes.util
import struct
import sys
import time


def unchunked(body):
    """The content of a chunked body, or None as long as its end has not come."""
    content = bytearray()
    place = 0
    while True:
        line = body.find(b"\r\n", place)
        if line < 0:
            return None
        size = int(body[place:line], 16)
        if size == 0:
            return content
        if line + 2 + size + 2 > len(body):
            return None
        content += body[line + 2 : line + 2 + size]
        place = line + 2 + size + 2


def bodies(path):
    with open(path, "rb") as file:
        data = file.read()
    open_bodies = {}
    offset = 24
    while offset < len(data):
        captured = struct.unpack_from("<I", data, offset + 8)[0]
        ip = offset + 16 + 14
        offset += 16 + captured
        tcp = ip + (data[ip] & 15) * 4
        end = ip + struct.unpack_from(">H", data, ip + 2)[0]
        source, target = struct.unpack_from(">HH", data, tcp)
        payload = data[tcp + (data[tcp + 12] >> 4) * 4 : end]
        if source != 80 or not payload:
            continue
        key = (data[ip + 16 : ip + 20], target)
        if payload.startswith(b"HTTP/"):
            head, _, body = payload.partition(b"\r\n\r\n")
            fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
            if fields.get(b"content-encoding", b"").strip() != b"gzip":
                continue
            length = int(fields[b"content-length"]) if b"content-length" in fields else None
            open_bodies[key] = (length, bytearray(body))
        elif key in open_bodies:
            open_bodies[key][1].extend(payload)
        if key not in open_bodies:
            continue
        length, body = open_bodies[key]
        content = unchunked(body) if length is None else body if len(body) >= length else None
        if content is not None:
            del open_bodies[key]
            yield bytes(content)


library = ctypes.CDLL(ctypes.util.find_library("deflate"))
library.libdeflate_alloc_decompressor.restype = ctypes.c_void_p
decompress = library.libdeflate_gzip_decompress
decompress.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
decompressor = library.libdeflate_alloc_decompressor()
output = ctypes.create_string_buffer(1 << 20)
contents = list(bodies(sys.argv[1]))
times = []
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
    length = ctypes.c_size_t()
    reference = ctypes.byref(length)
    total = 0
    started = time.perf_counter()
    for content in contents:
        if decompress(decompressor, content, len(content), output, len(output), reference):
            sys.exit("a body could not be decoded")
        total += length.value
    times.append(time.perf_counter() - started)
print(f"{min(times):.3f}", len(contents), total)
