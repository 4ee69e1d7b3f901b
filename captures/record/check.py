#!/usr/bin/env python3
"""Compare each capture with its witness, by tshark's reading of the capture.

    check.py FOLDER [NAME…]

For every TCP connection with witness rows: the payload octets of each direction (by sequence numbers, as
tshark reports them) must be the sum of what the server logged for its requests and responses, and of what
curl measured. Also: tshark's count of requests and of final responses, and the longest frame.
Where the figures are known to count something else (KNOWN below, and ../README.md) the differences are listed
and pass; any other difference fails.
"""
import collections, csv, glob, os, subprocess, sys

KNOWN = {
    "cookies-redirects": "nginx leaves a body out that it discarded (a POST that was redirected)",
    "errors-aborts": "nginx counts what it parsed of a bad request, and what it gave to a socket that was then reset",
    "one-sided": "the requests are not in the capture",
    "one-sided-client": "the responses are not in the capture",
    "http2": "HTTP/2's frames of the connection belong to no request",
    "http2-tls": "TLS, and HTTP/2 inside it",
    "tls-nginx": "the servers count inside TLS",
    "tls-closed": "the servers count inside TLS",
}
TLS_PORTS = {443, 8443}

FOLDER, NAMES = sys.argv[1], sys.argv[2:]
FIELDS = "frame.len tcp.stream ip.src ipv6.src tcp.srcport ip.dst ipv6.dst tcp.dstport tcp.seq tcp.len tcp.flags.syn tcp.flags.fin tcp.flags.reset http.request.method http.response.code icmp.type icmpv6.type".split()


def tshark(path):
    command = ["tshark", "-n", "-r", path, "-2", "-o", "tcp.desegment_tcp_streams:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE", "-o", "tcp.relative_sequence_numbers:TRUE",
               "-d", "tcp.port==3000-3001,http", "-d", "tcp.port==8000-8005,http", "-d", "tcp.port==8080,http", "-d", "tcp.port==3128,http",
               "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=,"]
    for field in FIELDS:
        command += ["-e", field]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        yield dict(zip(FIELDS, line.split("\t")))


def inner(value):
    """Of a field that several layers have, the innermost's."""
    return value.split(",")[-1] if value else ""


def number(row, name):
    return int(row[name]) if row.get(name) not in (None, "") else None


def check(name, path):
    streams, keys = collections.defaultdict(lambda: collections.defaultdict(int)), {}
    packets = longest = requests = responses = interim = 0
    for p in tshark(path):
        packets += 1
        longest = max(longest, int(p["frame.len"]))
        requests += len([m for m in p["http.request.method"].split(",") if m])
        for code in p["http.response.code"].split(","):
            if code:
                responses += code[0] != "1" or code == "101"
                interim += code[0] == "1" and code != "101"
        if not p["tcp.stream"] or not p["tcp.len"] or p["icmp.type"] or p["icmpv6.type"]:    # ICMP quotes the segment it is about
            continue
        source = (inner(p["ipv6.src"]) or inner(p["ip.src"]), int(inner(p["tcp.srcport"])))
        target = (inner(p["ipv6.dst"]) or inner(p["ip.dst"]), int(inner(p["tcp.dstport"])))
        stream = streams[p["tcp.stream"]]
        keys.setdefault(source + target, p["tcp.stream"])
        end = int(inner(p["tcp.seq"])) + int(inner(p["tcp.len"])) - 1       # payload octets up to the end of this segment
        if int(inner(p["tcp.len"])):
            stream[source] = max(stream[source], end)
    said = f"{name}: {packets} packets, longest frame {longest}, requests {requests}, responses {responses}, interim {interim}"
    witness = os.path.join(FOLDER, name + ".witness.csv")
    if not os.path.exists(witness):
        print(said + ", no witness")
        return True
    with open(witness, newline="") as f:
        rows = list(csv.DictReader(f))
    connections = collections.defaultdict(list)
    for row in rows:
        connections[(row["client_address"], int(row["client_port"] or 0), row["server_address"], int(row["server_port"] or 0))].append(row)
    agree, differ, missing = 0, [], 0
    for key, mine in connections.items():
        stream = keys.get(key)
        if stream is None:
            missing += 1
            continue
        client, server = key[:2], key[2:]
        wire = streams[stream][client], streams[stream][server]
        if any(r["note"] == "apache-sums-tunnel" for r in mine):   # one row stands for the whole tunnel
            mine = [r for r in mine if r["note"] == "apache-sums-tunnel"]
        for word in mine[-1]["note"].split():                       # after an Upgrade the rest is no message
            if word.startswith("tunnel-sent="):
                wire = wire[0] - int(word[12:]), wire[1]
            if word.startswith("tunnel-received=") and mine[-1]["source"] != "nginx":
                wire = wire[0], wire[1] - int(word[16:])
            if word.startswith("tunnel-received=") and mine[-1]["source"] == "nginx":
                mine[-1]["client_response_bytes"] = str(int(mine[-1]["client_response_bytes"]) + int(word[16:]))   # $bytes_sent has the tunnel
        def total(name):
            values = [number(r, name) for r in mine]
            return None if None in values else sum(values)
        logged = total("request_bytes"), total("response_bytes")
        if logged[0] is not None:        # mod_logio counts an octet twice that Apache peeked at
            logged = logged[0] - sum("apache-peek" in r["note"] for r in mine), logged[1]
        # curl: the request is size_request, and size_upload where the body was not sent with the head
        sent = [None if number(r, "curl_size_request") is None or "curl-" in r["note"] else
                number(r, "curl_size_request") + ("body-in-size_request" not in r["note"]) * number(r, "curl_size_upload") for r in mine]
        curl_sent = None if None in sent else sum(sent)
        header, download = total("curl_size_header"), total("curl_size_download")
        measured = total("client_request_bytes"), total("client_response_bytes")
        bad = []
        for what, octets, figure in (("request", wire[0], logged[0]), ("response", wire[1], logged[1]),
                                     ("curl request", wire[0], curl_sent),
                                     ("client request", wire[0], measured[0]), ("client response", wire[1], measured[1])):
            if figure is not None and figure != octets:
                bad.append(f"{what} {figure - octets:+d}")
        if bad and not (name == "demo" and key[3] in TLS_PORTS):
            differ.append(f"    {key[0]}:{key[1]} → {key[2]}:{key[3]} ({mine[0]['source']}, {len(mine)} requests): {', '.join(bad)} {mine[-1]['note']}")
        else:
            agree += 1
    print(f"{said}; witness {len(rows)} rows, {len(connections)} connections: {agree} agree to the octet"
          + (f", {missing} not in the capture" if missing else "") + (f", {len(differ)} differ" if differ else "")
          + (f" ({KNOWN[name]})" if differ and name in KNOWN else " UNEXPECTEDLY" if differ else ""))
    for line in differ[:40]:
        print(line)
    return not differ or name in KNOWN


def main():
    seen, good = False, True
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.pcap*"))):
        name = os.path.basename(path).split(".pcap")[0]
        if NAMES and name not in NAMES:
            continue
        seen = True
        plain = path
        if path.endswith(".zst"):
            plain = f"/dev/shm/check.{os.getpid()}" if os.path.isdir("/dev/shm") else f"/tmp/check.{os.getpid()}"
            subprocess.run(["zstd", "-q", "-d", "-f", path, "-o", plain], check=True)
        try:
            good &= check(name, plain)
        finally:
            if plain != path:
                os.remove(plain)
    if not seen:
        sys.exit("check: no such capture")
    sys.exit(not good)


main()
