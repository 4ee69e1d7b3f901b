#!/usr/bin/env python3
"""Compare the captures of processes.py, as programs of other people read them, with the table of what they say.

    check_processes.py FOLDER [--scapy]

tshark reads PKTAP version 1, Ethernet trailers and comments. With --scapy (2.6 or later), scapy reads Apple's process blocks. Neither knows
version 2 of PKTAP nor the blocks of PCAPdroid: of these the check is that a process stands in the file for each connection that has one.
"""
import collections, csv, re, subprocess, sys


def fields(path, *names):
    command = ["tshark", "-r", path, "-T", "fields", "-E", "separator=\x1f", "-E", "aggregator=\x1e"]
    for name in ("ip.src", "tcp.srcport", "ip.dst", "tcp.dstport") + names:
        command += ["-e", name]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return [line.split("\x1f") for line in lines if line]


def by_client(path, clients, read, *names):
    """What the packets of each connection say, each thing once, without those that say nothing."""
    said = collections.defaultdict(set)
    for source, port, target, other, *cells in fields(path, *names):
        for client in (f"{source}:{port}", f"{target}:{other}"):
            if client in clients:
                found = read(cells, client == f"{source}:{port}")
                if found:
                    said[client].add(found)
    return said


def pktap(cells, is_outbound):
    pid, name, app = cells
    return (name, pid, app) if name else None


def pcapdroid_trailer(cells, is_outbound):
    octets = bytes.fromhex(cells[0].replace(":", "")) if cells[0] else b""
    # tshark takes padding off, and may take the last octets for a check sequence.
    at = octets.find(b"\x01\x07\x20\x21")
    name = octets[at + 8:at + 28].rstrip(b"\0").decode() if at >= 0 else ""
    return (name, "", name) if name else None


def ptcpdump(cells, is_outbound):
    lines = dict(line.split(": ", 1) for line in cells[0].replace("\\n", "\n").split("\n") if ": " in line)
    if "PID" not in lines:
        return None
    return lines["Command"].rsplit("/", 1)[-1], lines["PID"], f"{lines['PodNamespace']}/{lines['PodName']}"


def rustnet(cells, is_outbound):
    found = re.match(r"rustnet process=(\S+) pid=(\d+)", cells[0])
    return found and (found[1], found[2], "")


def etl2pcapng(cells, is_outbound):
    found = re.match(r"PID=(\d+) ", cells[0])
    return ("", found[1], "") if is_outbound and found and found[1] not in ("0", "4") else None


def apple(path, clients):
    from scapy.all import IP, TCP, RawPcapNgReader, Ether
    said = collections.defaultdict(set)
    reader = RawPcapNgReader(path)
    for octets, meta in reader:
        packet = Ether(octets)
        for end in (f"{packet[IP].src}:{packet[TCP].sport}", f"{packet[IP].dst}:{packet[TCP].dport}"):
            if end in clients and meta.process_information:
                own = meta.process_information
                said[end].add((own["proc"]["name"], str(own["proc"]["id"]), own["eproc"]["name"]))
    return said


def main(folder, *options):
    with open(f"{folder}/expected.csv") as f:
        rows = list(csv.DictReader(f))
    wrong = 0
    readers = {
        "pktap-v1.pcap": (pktap, "pktap.pid", "pktap.cmdname", "pktap.ecmdname"),
        "pcapdroid.pcap": (pcapdroid_trailer, "eth.trailer"), "ptcpdump.pcapng": (ptcpdump, "frame.comment"),
        "rustnet.pcapng": (rustnet, "frame.comment"), "etl2pcapng.pcapng": (etl2pcapng, "frame.comment"),
    }
    for name in sorted({row["file"] for row in rows}):
        expected = {row["client"]: (row["process"], row["pid"], row["app"]) for row in rows if row["file"] == name}
        if name in readers:
            read, *names = readers[name]
            said = by_client(f"{folder}/{name}", expected, read, *names)
        elif name == "apple.pcapng" and "--scapy" in options:
            said = apple(f"{folder}/{name}", expected)
        else:
            print(f"{name}: not read")
            continue
        for client, process in expected.items():
            if said.get(client, set()) != ({process} if any(process) else set()):
                print(f"{name}: {client}: {said.get(client)} is not {process}")
                wrong += 1
        print(f"{name}: {len(expected)} connections compared")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
