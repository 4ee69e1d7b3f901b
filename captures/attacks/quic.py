"""QUIC for attacks: packets that open with the secrets of `quic.keys`, which are the same for all connections."""

import ctypes
import ctypes.util
import functools
import hashlib
import hmac
import os

import packets
from packets import *

#: Given to the program with each attack.
KEY_LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quic.keys")
CLIENT_RANDOM = bytes(range(32))
CLIENT_SIDE, SERVER_SIDE = 0, 1
PORT = 50000


@functools.cache
def library():
    """libcrypto, which the program uses, too."""
    found = ctypes.CDLL(ctypes.util.find_library("crypto"))
    for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_aes_128_ecb"):
        getattr(found, name).restype = ctypes.c_void_p
    return found


#: What libcrypto writes to, a datagram at most, and how much it wrote.
ROOM = ctypes.create_string_buffer(1 << 16)
WRITTEN = ctypes.byref(ctypes.c_int())


class Cipher:
    """Encrypts with AES-128: whole packets (GCM), or a block for their headers (ECB)."""

    def __init__(self, key, is_block=False):
        made = library()
        self.context = ctypes.c_void_p(made.EVP_CIPHER_CTX_new())
        kind = made.EVP_aes_128_ecb() if is_block else made.EVP_aes_128_gcm()
        made.EVP_EncryptInit_ex(self.context, ctypes.c_void_p(kind), None, key, None)

    def __del__(self):
        library().EVP_CIPHER_CTX_free(self.context)

    def block(self, octets):
        library().EVP_EncryptUpdate(self.context, ROOM, WRITTEN, octets, 16)
        return ctypes.string_at(ROOM, 16)

    def seal(self, nonce, additional, octets):
        made = library()
        made.EVP_EncryptInit_ex(self.context, None, None, None, nonce)
        made.EVP_EncryptUpdate(self.context, None, WRITTEN, additional, len(additional))
        made.EVP_EncryptUpdate(self.context, ROOM, WRITTEN, octets, len(octets))
        sealed = ctypes.string_at(ROOM, len(octets))
        made.EVP_EncryptFinal_ex(self.context, ROOM, WRITTEN)
        # EVP_CTRL_AEAD_GET_TAG.
        made.EVP_CIPHER_CTX_ctrl(self.context, 16, 16, ROOM)
        return sealed + ctypes.string_at(ROOM, 16)


def expand(secret, label, length):
    """HKDF-Expand-Label of TLS 1.3 with SHA-256, for no more than 32 octets."""
    label = b"tls13 " + label
    info = struct.pack(">HB", length, len(label)) + label + b"\0\1"
    return hmac.digest(secret, info, hashlib.sha256)[:length]


class Keys:
    """The keys of one side at one level (RFC 9001 5.1)."""

    def __init__(self, secret, header=None):
        self.secret = secret
        self.cipher = Cipher(expand(secret, b"quic key", 16))
        self.initial = int.from_bytes(expand(secret, b"quic iv", 12), "big")
        # It stays when keys are updated.
        self.header = header or Cipher(expand(secret, b"quic hp", 16), is_block=True)

    def updated(self):
        return Keys(expand(self.secret, b"quic ku", 32), self.header)

    def seal(self, header, number, frames):
        """A packet, whose number has four octets. A long header ends with its length, which is added here."""
        is_long = header[0] & 0x80
        if is_long:
            header += struct.pack(">H", 0x4000 | 4 + len(frames) + 16)
        covered = header + struct.pack(">I", number)
        packet = bytearray(covered + self.cipher.seal((self.initial ^ number).to_bytes(12, "big"), covered, frames))
        start = len(header)
        mask = self.header.block(bytes(packet[start + 4:start + 20]))
        packet[0] ^= mask[0] & (0x0F if is_long else 0x1F)
        for index in range(4):
            packet[start + index] ^= mask[1 + index]
        return bytes(packet)


LABELS = {
    "CLIENT_EARLY_TRAFFIC_SECRET": ("early", CLIENT_SIDE),
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET": ("handshake", CLIENT_SIDE),
    "SERVER_HANDSHAKE_TRAFFIC_SECRET": ("handshake", SERVER_SIDE),
    "CLIENT_TRAFFIC_SECRET_0": ("application", CLIENT_SIDE),
    "SERVER_TRAFFIC_SECRET_0": ("application", SERVER_SIDE),
}
SECRETS = {place: hashlib.sha256(label.encode()).digest() for label, place in LABELS.items()}
SALT = bytes.fromhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a")


@functools.cache
def keys(level, side):
    return Keys(SECRETS[level, side])


def initial_keys(identifier, side):
    """The keys of Initial packets, which anybody can make of the client's first ID (RFC 9001 5.2)."""
    common = hmac.digest(SALT, identifier, hashlib.sha256)
    return Keys(expand(common, b"client in" if side == CLIENT_SIDE else b"server in", 32))


def write_key_log(path=KEY_LOG):
    with open(path, "w") as file:
        for label, place in LABELS.items():
            file.write(f"{label} {CLIENT_RANDOM.hex()} {SECRETS[place].hex()}\n")


# Frames of QUIC.

def integer(value):
    if value < 64:
        return bytes([value])
    if value < 1 << 14:
        return struct.pack(">H", value | 0x4000)
    return struct.pack(">I", value | 0x80000000) if value < 1 << 30 else struct.pack(">Q", value | 0xC000000000000000)


def stream(number, octets, at=0, ends=False):
    return bytes([0x0F if ends else 0x0E]) + integer(number) + integer(at) + integer(len(octets)) + octets


def crypto(octets, at=0):
    return b"\6" + integer(at) + integer(len(octets)) + octets


# Messages of TLS.

def extension(kind, octets):
    return struct.pack(">HH", kind, len(octets)) + octets


def message(kind, octets):
    return bytes([kind]) + struct.pack(">I", len(octets))[1:] + octets


def client_hello(host=b"a.example", random=CLIENT_RANDOM, is_early=False):
    fields = extension(0, struct.pack(">HBH", len(host) + 3, 0, len(host)) + host) + extension(16, b"\0\3\2h3")
    fields += extension(43, b"\2\3\4") + (extension(42, b"") if is_early else b"")
    return message(1, b"\3\3" + random + b"\0\0\2\x13\1\1\0" + struct.pack(">H", len(fields)) + fields)


def server_hello():
    fields = extension(43, b"\3\4")
    return message(2, b"\3\3" + bytes(32) + b"\0\x13\1\0" + struct.pack(">H", len(fields)) + fields)


class QUICConnection:
    """A connection whose datagrams go to a capture. Its IDs say its number, and in mixes which attack it is of."""

    def __init__(self, capture, number=0, port=PORT, client=CLIENT, has_client_id=True, is_opened=True):
        self.capture, self.client, self.port = capture, client, port
        self.first, self.own, self.servers = (
            struct.pack(">BBHI", letter, packets.network, 7, number) for letter in b"fcs")
        if not has_client_id:
            self.own = b""
        self.numbers = {}
        self.keys = [keys("application", side) for side in (CLIENT_SIDE, SERVER_SIDE)]
        self.phases = [0, 0]
        if is_opened:
            self.open()

    def send(self, side, payload, port=None, client=None):
        """Sends a datagram, from another address of the client's than its first one if there is one."""
        client, port = client or self.client, port or self.port
        ends, ports = ((client, SERVER), (port, 443)) if side == CLIENT_SIDE else ((SERVER, client), (443, port))
        self.capture.write(ipv4(*ends, 17, udp(payload, ports)))

    def next_number(self, space, side):
        number = self.numbers[space, side] = self.numbers.get((space, side), -1) + 1
        return number

    def long(self, kind, side, frames, to=None, own=None):
        """A packet in long form: `kind` is initial, early or handshake."""
        target = to if to is not None else (self.servers if kind == "handshake" else self.first) \
            if side == CLIENT_SIDE else self.own
        source = own if own is not None else (self.own if side == CLIENT_SIDE else self.servers)
        first = {"initial": 0xC3, "early": 0xD3, "handshake": 0xE3}[kind]
        header = bytes([first, 0, 0, 0, 1, len(target)]) + target + bytes([len(source)]) + source
        number = self.next_number("application" if kind == "early" else kind, side)
        if kind != "initial":
            return keys(kind, side).seal(header, number, frames)
        made = initial_keys(target if side == CLIENT_SIDE else self.first, side)
        return made.seal(header + b"\0", number, frames)

    def short(self, side, frames, to=None):
        """A packet of 1-RTT."""
        target = to if to is not None else self.servers if side == CLIENT_SIDE else self.own
        frames += bytes(max(4 - len(frames), 0))
        header = bytes([0x43 | self.phases[side] << 2]) + target
        return self.keys[side].seal(header, self.next_number("application", side), frames)

    def say(self, side, frames):
        self.send(side, self.short(side, frames))

    def update(self, side):
        self.keys[side] = self.keys[side].updated()
        self.phases[side] ^= 1

    def greet(self):
        """Both hellos."""
        self.send(CLIENT_SIDE, self.long("initial", CLIENT_SIDE, crypto(client_hello()) + bytes(900)))
        self.send(SERVER_SIDE, self.long("initial", SERVER_SIDE, crypto(server_hello())))

    def open(self):
        choice = extension(16, b"\0\3\2h3")
        flight = message(8, struct.pack(">H", len(choice)) + choice) + message(20, bytes(32))
        self.greet()
        self.send(SERVER_SIDE, self.long("handshake", SERVER_SIDE, crypto(flight)))
        self.send(CLIENT_SIDE, self.long("handshake", CLIENT_SIDE, crypto(message(20, bytes(32)))))
