#!/usr/bin/env python3
"""Join what the servers logged with what the clients measured: one row per request.

    witness.py --name CAPTURE --out FILE.csv [--nginx LOG] [--apache LOG] [--server NAME=LOG]… [--curl LOG]… [--client LOG]…

The key is the connection (both addresses and ports) and the request's ordinal on it, from 1.
No figure is adjusted: each column is what that program said. captures/README.md says what each
of them counts. A row that only one side has is kept, with the other side's columns empty.
"""
import argparse, csv, json, os, sys
from urllib.parse import urlsplit

COLUMNS = """client_address client_port server_address server_port ordinal id method host path query_bytes
status request_bytes response_bytes response_body_bytes curl_size_request curl_size_header curl_size_download
curl_size_upload client_request_bytes client_response_bytes decoded_bytes source note""".split()

# What run_curl asks curl to write, one line a transfer; the id comes first.
CURL = """id client_address client_port server_address server_port method status curl_size_request
curl_size_header curl_size_download curl_size_upload connects redirects exit url""".split()

APACHE = """client_address client_port server_address server_port ordinal line status
request_bytes response_bytes response_body_bytes host id completed begun""".split()


def lines(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            if line.strip():
                yield line.rstrip("\n")


def split_target(row, target):
    """Path as sent with its query's length; an absolute-form target also names the host."""
    target = target.split("#", 1)[0]
    if "://" in target and not target.startswith("/"):
        scheme, rest = target.split("://", 1)
        authority, slash, rest = rest.partition("/")
        row["host"] = authority
        target = slash + rest or "/"
    path, mark, query = target.partition("?")
    row["path"] = path
    row["query_bytes"] = len(query.encode("utf-8", "surrogateescape")) if mark else 0


def from_nginx(path):
    for line in lines(path):
        row = json.loads(line)
        row["source"] = "nginx"
        notes = []
        if row.pop("completed") != "OK":
            notes.append("incomplete")
        if row.pop("pipelined") == "p":
            notes.append("pipelined")
        split_target(row, row.pop("target"))
        row["note"] = " ".join(notes)
        yield row


def from_apache(path):
    seen = {}
    for row in (dict(zip(APACHE, line.split("\t"))) for line in lines(path)):
        row["source"] = "apache"
        # %k, the number of keep-alive requests before this one, is not raised for the last one of a
        # connection that Apache closes; so the log's order counts, and %k only tells a reused port.
        connection = (row["client_address"], row["client_port"], row["server_address"], row["server_port"])
        seen[connection] = seen.get(connection, 0) + 1
        row["ordinal"] = seen[connection]
        for name in ("host", "id"):
            if row[name] == "-":
                row[name] = ""
        row["note"] = "incomplete" if row.pop("completed") == "X" else ""
        row["method"], _, rest = row.pop("line").partition(" ")
        split_target(row, rest.rpartition(" ")[0] or rest)
        yield row


def from_json(name, path):
    for line in lines(path):
        row = json.loads(line)
        row.setdefault("source", name)
        completed = row.pop("completed", "OK")
        row.setdefault("note", "" if completed == "OK" else "incomplete")
        if "target" in row:
            split_target(row, row.pop("target"))
        yield row


def key(row):
    return (row["client_address"], int(row["client_port"]), row["server_address"], int(row["server_port"]), int(row["ordinal"]))


def from_curl(paths, known):
    """`known`: the keys of each id's requests, as the servers logged them; a redirect chain is found by its id."""
    seen = {}
    for path in paths:
        for line in lines(path):
            row = dict(zip(CURL, line.split("\t")))
            if not row["client_port"].isdigit() or int(row["client_port"]) <= 0:
                continue
            connection = (row["client_address"], row["client_port"], row["server_address"], row["server_port"])
            redirects = int(row.pop("redirects"))
            if row.pop("exit") not in ("0", ""):
                row["note"] = "curl-failed"
            if redirects:
                row["note"] = f"curl-sums-{redirects + 1}-requests"
            if connection not in seen and int(row["connects"]) == 0:
                print(f"witness.py: curl says it reused {connection}, which it never opened", file=sys.stderr)
            chain = [k for k in known.get(row["id"], []) if k[:4] == (connection[0], int(connection[1]), connection[2], int(connection[3]))]
            seen[connection] = chain[-1][4] if redirects and chain else seen.get(connection, 0) + 1
            row["ordinal"] = seen[connection]
            row.pop("connects")
            url = urlsplit(row.pop("url"))
            row["host"] = url.netloc
            row["path"], row["query_bytes"] = url.path or "/", len(url.query)
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--nginx", action="append", default=[])
    parser.add_argument("--apache", action="append", default=[])
    parser.add_argument("--server", action="append", default=[], metavar="NAME=LOG")
    parser.add_argument("--curl", action="append", default=[])
    parser.add_argument("--client", action="append", default=[])
    parser.add_argument("--inner", metavar="NGINX_LOG", help="the origin server's log of what went through tunnels, joined by id")
    parser.add_argument("--port", type=int, action="append", help="only rows of these server ports")
    parser.add_argument("--outside", metavar="ADDRESS", help="no rows of this client address: they are in no capture")
    parser.add_argument("--strict", action="store_true", help="every curl row must have a server row with the same id")
    options = parser.parse_args()

    rows, order = {}, []
    def add(row):
        if options.port and int(row["server_port"]) not in options.port:
            return
        if row["client_address"] == options.outside:
            return
        k = key(row)
        if k not in rows:
            rows[k] = {}
            order.append(k)
        mine = rows[k]
        if mine.get("id") and row.get("id") and mine["id"] != row["id"]:
            sys.exit(f"witness.py: {options.name}: {k} is request {mine['id']} for one side and {row['id']} for the other")
        for name, value in row.items():
            if name == "note" and value and mine.get("note") and value != mine["note"]:
                mine["note"] += " " + value
            elif mine.get(name) in (None, ""):
                mine[name] = value

    def annotate(row):
        """Name the two differences of definition that only the figures tell."""
        values = [row.get(n) for n in ("request_bytes", "curl_size_request", "curl_size_upload")]
        if "" in values or None in values or "incomplete" in (row.get("note") or "") or "tunnel" in (row.get("note") or ""):
            return
        logged, size_request, size_upload = map(int, values)
        notes = [row["note"]] if row.get("note") else []
        sent = (size_request, size_request + size_upload)
        if row["source"] == "apache" and logged not in sent and logged - 1 in sent:
            notes.append("apache-peek")
            logged -= 1
        if size_upload and logged == size_request:
            notes.append("body-in-size_request")
        row["note"] = " ".join(notes)

    existing = lambda paths: [p for p in paths if os.path.exists(p)]
    for path in existing(options.nginx):
        for row in from_nginx(path): add(row)
    for path in existing(options.apache):
        for row in from_apache(path): add(row)
    for pair in options.server:
        name, path = pair.split("=", 1)
        if os.path.exists(path):
            for row in from_json(name, path): add(row)
    known = {}
    for k in order:
        known.setdefault(rows[k].get("id"), []).append(k)
    for row in from_curl(existing(options.curl), known):
        add(row)
    for path in existing(options.client):
        for row in from_json("client", path):
            row.pop("source", None)
            if "client_port" in row:
                add(row)
            else:             # a client that does not know its ports: joined by the id, to the last request of a chain
                same = [k for k in order if rows[k].get("id") == row["id"]]
                if not same:
                    sys.exit(f"witness.py: {options.name}: no server knows request {row['id']}")
                rows[same[-1]].update({n: v for n, v in row.items() if n not in ("id", "method", "host", "path", "query_bytes", "status") and v != ""})

    def open_tunnels(inner):
        """What curl measured belongs to the requests inside a tunnel, which follow the CONNECT on its connection."""
        for connect in [k for k in order if rows[k].get("method") == "CONNECT" and k[4] == 1 and rows[k].get("status") == "200"]:
            rows[connect]["note"] = "apache-sums-tunnel"
            inside = [k for k in order if k[:4] == connect[:4]]
            measured = [({n: rows[k].pop(n) for n in list(rows[k]) if n.startswith("curl_")}, rows[k].get("id", "")) for k in inside]
            rows[connect]["id"] = ""
            for ordinal, (curl, name) in enumerate(measured, 2):
                key = connect[:4] + (ordinal,)
                if key not in rows:
                    order.insert(order.index(connect[:4] + (ordinal - 1,)) + 1, key)
                origin = inner.get(name, {})
                rows[key] = {**origin, **curl, "id": name, "note": "inside-tunnel" + (" curl-sums-connect" if ordinal == 2 else "")}

    if options.inner:
        open_tunnels({row["id"]: row for row in from_nginx(options.inner)})

    bad = [k for k in order if options.strict and not (rows[k].get("source") and rows[k].get("curl_size_request"))]
    if bad:
        sys.exit(f"witness.py: {options.name}: {len(bad)} requests are known to one side only, the first {bad[0]} {rows[bad[0]]}")
    with open(options.out, "w", newline="", encoding="utf-8", errors="surrogateescape") as f:
        table = csv.DictWriter(f, COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        for k in order:
            row = rows[k]
            annotate(row)
            row.update(zip(("client_address", "client_port", "server_address", "server_port", "ordinal"), k))
            table.writerow(row)
    os.chmod(options.out, 0o644)
    both = sum(1 for k in order if rows[k].get("source") and (rows[k].get("curl_size_request") or rows[k].get("client_request_bytes")))
    print(f"{options.name}: {len(order)} requests in the witness, {both} with figures from both sides")


if __name__ == "__main__":
    main()
