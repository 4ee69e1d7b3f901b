"""Prints the processor seconds that libcrypto alone takes to open the records of a capture, the fastest of RUNS passes over all of them.

    open_alone.py CAPTURE KEYLOG [RUNS]

For captures as make-captures makes them: Ethernet, IPv4, TLS 1.3 with AES-128-GCM and without updates of keys on port 443. Segments may be
captured twice or late. One context for each direction, and only the IV set for each record, as sniffer does it; called from Python, which
costs some 2 microseconds a record. Each record must verify.
"""
import ctypes
import ctypes.util
import hashlib
import hmac
import struct
import sys
import time

library = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm"):
    getattr(library, name).restype = ctypes.c_void_p


def expand_label(secret, label, length):
    label = b"tls13 " + label
    info = struct.pack(">HB", length, len(label)) + label + b"\0\1"
    return hmac.new(secret, info, hashlib.sha256).digest()[:length]


def secrets(path):
    found = {}
    for line in open(path):
        label, random, secret = line.split()
        found[label, bytes.fromhex(random)] = bytes.fromhex(secret)
    return found


def streams(path):
    """The octets of each direction, by client port and whether they are the client's."""
    with open(path, "rb") as file:
        data = file.read()
    segments, starts = {}, {}
    offset = 24
    while offset < len(data):
        captured = struct.unpack_from("<I", data, offset + 8)[0]
        ip = offset + 16 + 14
        offset += 16 + captured
        tcp = ip + (data[ip] & 15) * 4
        end = ip + struct.unpack_from(">H", data, ip + 2)[0]
        source, target, sequence = struct.unpack_from(">HHI", data, tcp)
        key = (target, False) if source == 443 else (source, True)
        payload = tcp + (data[tcp + 12] >> 4) * 4
        if data[tcp + 13] & 2:
            starts[key] = sequence + 1
        elif payload < end:
            segments.setdefault(key, {}).setdefault((sequence - starts[key]) & 0xFFFFFFFF, data[payload:end])
    for key, pieces in segments.items():
        stream = bytearray()
        for place in sorted(pieces):
            if place <= len(stream):
                stream += pieces[place][len(stream) - place :]
        yield key, bytes(stream)


def records(stream):
    place = 0
    while place + 5 <= len(stream):
        length = struct.unpack_from(">H", stream, place + 3)[0]
        # The capture may end within a record.
        if place + 5 + length > len(stream):
            return
        yield stream[place], place, length
        place += 5 + length


def directions(capture, known):
    """Of each direction: its octets, its keys in their order, and where its protected records are."""
    found = dict(streams(capture))
    for (port, is_client), stream in sorted(found.items()):
        random = found[port, True][11:43]
        side = "CLIENT" if is_client else "SERVER"
        keys = [known[f"{side}_HANDSHAKE_TRAFFIC_SECRET", random], known[f"{side}_TRAFFIC_SECRET_0", random]]
        yield stream, keys, [(place, length) for kind, place, length in records(stream) if kind == 23]


def context(key):
    made = ctypes.c_void_p(library.EVP_CIPHER_CTX_new())
    library.EVP_DecryptInit_ex(made, ctypes.c_void_p(library.EVP_aes_128_gcm()), None, key, None)
    return made


def main():
    times, count, total = [], 0, 0
    found = list(directions(sys.argv[1], secrets(sys.argv[2])))
    room = ctypes.create_string_buffer(1 << 15)
    written = ctypes.c_int()
    reference = ctypes.byref(written)
    update, control, initialize = library.EVP_DecryptUpdate, library.EVP_CIPHER_CTX_ctrl, library.EVP_DecryptInit_ex
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        taken = count = total = 0
        for stream, keys, places in found:
            base = ctypes.create_string_buffer(stream, len(stream))
            start = ctypes.addressof(base)
            epoch, sequence, cipher = 0, 0, context(expand_label(keys[0], b"key", 16))
            initial = int.from_bytes(expand_label(keys[0], b"iv", 12), "big")
            for place, length in places:
                while True:
                    nonce = (initial ^ sequence).to_bytes(12, "big")
                    header, body = ctypes.c_void_p(start + place), ctypes.c_void_p(start + place + 5)
                    tag = ctypes.c_void_p(start + place + 5 + length - 16)
                    started = time.process_time()
                    initialize(cipher, None, None, None, nonce)
                    update(cipher, None, reference, header, 5)
                    update(cipher, room, reference, body, length - 16)
                    control(cipher, 17, 16, tag)
                    is_right = library.EVP_DecryptFinal_ex(cipher, room, reference)
                    taken += time.process_time() - started
                    if is_right == 1:
                        break
                    if epoch == 1:
                        sys.exit("a record does not verify")
                    epoch, sequence, cipher = 1, 0, context(expand_label(keys[1], b"key", 16))
                    initial = int.from_bytes(expand_label(keys[1], b"iv", 12), "big")
                sequence += 1
                count += 1
                total += length
        times.append(taken)
    print(f"{min(times):.3f}", count, total)


main()
