#!/usr/bin/env python3
"""Write captures that name processes, in each of the ways in which programs do that, and a table of what they say.

    processes.py CAPTURE FOLDER     CAPTURE is a pcap file of Ethernet and IPv4 with four TCP connections or more

The traffic is real and the same in all of them; the processes are made up, one for each of its first four connections, and each further
connection has none. No phone and no Mac is at hand here: the formats are written from their definitions, and check_processes.py reads them
with programs of other people.
"""
import csv, os, struct, sys
from collections import namedtuple

Packet = namedtuple("Packet", "seconds nanoseconds octets connection is_outbound")
Process = namedtuple("Process", "pid name app_pid app uid package")
PROCESSES = [
    Process(501, "curl", 501, "curl", 10101, "org.example.fetcher"),
    Process(77, "nsurlsessiond", 902, "Podcasts", 10102, "org.example.podcasts"),
    Process(4321, "weather app", 4321, "weather app", 10103, "org.example.weather"),
    None,
]
APP_NAMES = {10101: "Fetcher", 10102: "Podcasts", 10103: "Wetter für alle"}


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    magic, = struct.unpack_from("<I", data)
    scale = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}[magic]
    at, packets, connections = 24, [], {}
    while at < len(data):
        seconds, fraction, captured, original = struct.unpack_from("<IIII", data, at)
        octets = data[at + 16:at + 16 + captured]
        at += 16 + captured
        assert captured == original
        if octets[12:14] != b"\x08\x00" or octets[23] != 6:
            continue
        start = 14 + (octets[14] & 15) * 4
        source = (octets[26:30], octets[start:start + 2])
        target = (octets[30:34], octets[start + 2:start + 4])
        key = tuple(sorted([source, target]))
        if key not in connections:
            assert octets[start + 13] & 0x12 == 2, "a connection has to begin with its SYN"
            connections[key] = (len(connections), source)
        number, client = connections[key]
        packets.append(Packet(seconds, fraction * scale, octets, number, source == client))
    return packets, [client for _, client in connections.values()]


def process(packet):
    return PROCESSES[packet.connection] if packet.connection < len(PROCESSES) else None


# Files

def pcap(path, link, packets):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link))
        for packet, octets in packets:
            f.write(struct.pack("<IIII", packet.seconds, packet.nanoseconds, len(octets), len(octets)) + octets)


def padded(octets):
    return octets + bytes(-len(octets) % 4)


def option(code, value):
    return struct.pack("<HH", code, len(value)) + padded(value)


def block(kind, body):
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def section(link, application):
    header = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + option(4, application.encode()) + option(0, b"")
    interface = struct.pack("<HHI", link, 0, 262144) + option(9, b"\x09") + option(0, b"")
    return block(0x0A0D0D0A, header) + block(1, interface)


def enhanced(packet, octets, options):
    time = packet.seconds * 10**9 + packet.nanoseconds
    body = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(octets), len(octets)) + padded(octets)
    return block(6, body + (options + option(0, b"") if options else b""))


def direction(packet):
    return option(2, struct.pack("<I", 2 if packet.is_outbound else 1))


# Apple's

def pktap1(packet):
    p = process(packet)
    pid, epid = (p.pid, p.app_pid) if p else (0xFFFFFFFF, 0xFFFFFFFF)
    name, app = (p.name, p.app) if p else ("", "")
    return struct.pack(
        "<III24sIIIII17s3xIHHI17s3x", 108, 1, 1, b"en0", 2 if packet.is_outbound else 1, 2, 14, 0, pid, name.encode(), 0, 6, 0,
        epid, app.encode()) + packet.octets


def pktap2(packet):
    p = process(packet)
    pid, epid = (p.pid, p.app_pid) if p else (0xFFFFFFFF, 0xFFFFFFFF)
    texts, offsets = b"en0\0", [40, 0, 0]
    if p:
        for index, text in ((1, p.name), (2, p.app)):
            offsets[index] = 40 + len(texts)
            texts += text.encode() + b"\0"
    texts = padded(texts)
    flags = 0x80000 | (2 if packet.is_outbound else 1)
    return struct.pack(
        "<BBBBBBHHHHHIIIIII", 40 + len(texts), 0, 0, *offsets, 1, 14, 0, 6, 6, 2, 0, packet.connection + 1, pid, epid,
        flags) + texts + packet.octets


def apple(packets):
    out = section(1, "tcpdump (Apple)")
    blocks = {}
    for p in PROCESSES:
        for pid, name in [(p.pid, p.name), (p.app_pid, p.app)] if p else []:
            if pid not in blocks:
                blocks[pid] = len(blocks)
                out += block(0x80000001, struct.pack("<I", pid) + option(2, name.encode()) + option(0, b""))
    for number, packet in enumerate(packets):
        p, options = process(packet), direction(packet)
        if p:
            options += option(0x8001, struct.pack("<I", blocks[p.pid])) + option(0x8003, struct.pack("<I", blocks[p.app_pid]))
        # The kernel drops a packet now and then; what it drops is sent again by what follows, which is the real traffic.
        if number % 40 == 20:
            out += enhanced(packet, packet.octets, options + option(0x8007, struct.pack("<I", 5)) + option(0x8009, b"tcp_input"))
        out += enhanced(packet, packet.octets, options)
    return out


# PCAPdroid's

def trailer(packet):
    p = process(packet)
    if not p:
        return bytes(12) + packet.octets[12:]
    ip_length = struct.unpack_from(">H", packet.octets, 16)[0]
    frame = bytes(12) + packet.octets[12:14 + ip_length]
    tail = struct.pack(">Ii20s", 0x01072021, p.uid, APP_NAMES[p.uid].encode()[:19])
    return padded(frame) + tail + struct.pack(">I", 0)


def pcapdroid(packets):
    out, known = section(101, "PCAPdroid v1.7"), set()
    for packet in packets:
        p = process(packet)
        if p and p.uid not in known:
            known.add(p.uid)
            package, app = p.package.encode(), APP_NAMES[p.uid].encode()
            out += block(0xBAD, padded(struct.pack("<IBBiBB", 62652, 1, 1, p.uid, len(package), len(app)) + package + app))
        out += enhanced(packet, packet.octets[14:], option(1, f"u-{p.uid if p else -1}".encode()))
    return out


# Comments

def commented(packets, application, comment):
    out = section(1, application)
    for packet in packets:
        text = comment(packet)
        out += enhanced(packet, packet.octets, direction(packet) + (option(1, text.encode()) if text else b""))
    return out


def ptcpdump(packet):
    p = process(packet)
    return p and "\n".join([
        f"PID: {p.pid}", f"Command: /usr/bin/{p.name}", f"Args: {p.name} http://site.example/", "UserId: 1000", "ParentPID: 1",
        f"ContainerName: {p.app}", f"PodName: {p.package}", "PodNamespace: default"])


def rustnet(packet):
    p = process(packet)
    return p and f"rustnet process={p.name.replace(' ', '_')} pid={p.pid} ppid=1 uid=1000 attr=exact direction=outgoing app=HTTP"


def etl2pcapng(packet):
    p = process(packet)
    # A packet that comes in has the process that happened to be running.
    return f"PID={p.pid if p and packet.is_outbound else 4 if packet.is_outbound else 31337} TID=8"


def main(capture, folder):
    packets, clients = read(capture)
    assert len(clients) >= 4
    os.makedirs(folder, exist_ok=True)

    def path(name):
        return os.path.join(folder, name)

    def write(name, octets):
        with open(path(name), "wb") as f:
            f.write(octets)

    pcap(path("pktap-v1.pcap"), 258, [(p, pktap1(p)) for p in packets])
    write("pktap-v2.pcapng", section(258, "tcpdump (Apple)") + b"".join(enhanced(p, pktap2(p), b"") for p in packets))
    write("apple.pcapng", apple(packets))
    pcap(path("pcapdroid.pcap"), 1, [(p, trailer(p)) for p in packets])
    write("pcapdroid.pcapng", pcapdroid(packets))
    write("ptcpdump.pcapng", commented(packets, "ptcpdump 0.33", ptcpdump))
    write("rustnet.pcapng", commented(packets, "rustnet 1.0", rustnet))
    write("etl2pcapng.pcapng", commented(packets, "etl2pcapng 1.11", etl2pcapng))
    with open(path("expected.csv"), "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(["file", "client", "process", "pid", "app", "process_source"])
        for number, (address, port) in enumerate(clients):
            p = PROCESSES[number] if number < len(PROCESSES) else None
            client = ".".join(map(str, address)) + f":{int.from_bytes(port, 'big')}"
            said = {
                "pktap-v1.pcap": p and [p.name, p.pid, p.app, "pktap"],
                "pktap-v2.pcapng": p and [p.name, p.pid, p.app, "pktap"],
                "apple.pcapng": p and [p.name, p.pid, p.app, "apple_pcapng"],
                "pcapdroid.pcap": p and [APP_NAMES[p.uid], "", APP_NAMES[p.uid], "pcapdroid"],
                "pcapdroid.pcapng": p and [p.package, "", APP_NAMES[p.uid], "pcapdroid"],
                "ptcpdump.pcapng": p and [p.name, p.pid, "default/" + p.package, "ptcpdump"],
                "rustnet.pcapng": p and [p.name.replace(" ", "_"), p.pid, "", "rustnet"],
                "etl2pcapng.pcapng": p and ["", p.pid, "", "etl2pcapng"],
            }
            for name, cells in said.items():
                rows.writerow([name, client] + (cells or ["", "", "", ""]))


main(*sys.argv[1:])
