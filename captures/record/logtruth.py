#!/usr/bin/env python3
"""Which row of a program's log is which message on the wire, made certain by ids that are no part of the comparison.

    logtruth.py [--site SITE.jsonl] [--front FRONT.jsonl] [--work FOLDER] PRODUCER FOLDER

FOLDER has capture.pcap.gz, or --front what a server over HTTP/3 says of its streams. The program's log is taken from --work (as
it was just recorded, stripped of what is large or private), and FOLDER/NAME.truth.csv is written for each log. With --site the
reading of the packets is first held against the octets that the server itself counted: they must be the same.

Each request that a program makes has X-Id, each response X-Serial. A HAR has both among the headers; the other logs have
them in columns that `sniffer verify` does not read, or in NAME.ids.csv. An entry is that exchange whose response's serial
it has; without one (nothing came back, or a cache merged the header fields of two), that one with its id, method and target.

Columns: `log_row` (HAR entry, JSON line: from 1; CSV: line number, the header row is 1), `type` request or response,
`connection` the client's port, `ordinal` the n-th request on that connection, `kind`:

    normal        as it is
    redirect      the exchange's status is 301, 302, 303, 307 or 308, or the row stands for a chain of them
    not-modified  the wire has 304
    aborted       the message did not end, on the wire or for the program
    cached        the row was answered from a cache: nothing on the wire
    none          nothing on the wire, for another reason (refused before it was sent; a response that never came)

`also` has other messages that the row stands for or that equal it, as PORT:ORDINAL: the other requests of a redirect chain
that has one row, the other leg of a proxy.
"""
import argparse, csv, gzip, json, os, re, sys, urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import truth

try:
    import truth_h2
except ImportError:       # only HTTP/2 needs more than Python
    truth_h2 = None

COLUMNS = ["log_row", "type", "connection", "ordinal", "kind", "also"]
REDIRECTS = {"301", "302", "303", "307", "308"}


def against_site(rows, path, producer):
    """The packets' octets are those that the server counted."""
    wire = {(r["connection"], r["ordinal"]): r for r in rows if r["server"] != "192.0.2.3" and not r["server"].startswith("127.")}
    same = differing = 0
    for line in open(path):
        site = json.loads(line)
        row = wire.pop((site["connection"], site["ordinal"]), None)
        if row is None:
            raise SystemExit(f"{producer}: the server's {site['serial']} is not in the capture")
        pairs = [(site[f"{half}_{part}"], row[f"{half}_{part}"] or 0) for half in ("request", "response") for part in ("line", "header", "body")]
        for half in ("request", "response"):
            pairs.append((site[f"{half}_framing"], (row[f"{half}_framing"] or 0) + (row[f"{half}_trailer"] or 0)))
        pairs.append((site["interim"], row["interim"]))
        if all(a == b for a, b in pairs):
            same += 1
        elif site["complete"] and row["response_whole"] and row["request_whole"]:
            raise SystemExit(f"{producer}: the server's {site['serial']} has {pairs} (server, packets)")
        else:
            differing += 1          # what was in a socket when a connection was reset
    if wire:
        raise SystemExit(f"{producer}: {len(wire)} exchanges are unknown to the server")
    print(f"{producer}: {same} exchanges have the server's octets, {differing} were cut off")


def contents_against_site(rows, path, producer):
    """Over HTTP/2 and HTTP/3 another server stands before the site: the contents are the same octets, by the serial of each answer."""
    site = {f"{s['serial']:07}": s for s in map(json.loads, open(path)) if s["serial"]}
    same = differing = 0
    for row in rows:
        said = site.get(row["x_serial"])
        if said is None:
            continue
        if (said["request_body"], said["response_body"]) == (row["request_body"], row["response_body"]):
            same += 1
        elif said["complete"] and row["response_whole"] and row["request_whole"]:
            raise SystemExit(f"{producer}: the server's {said['serial']} has {said['request_body']}, {said['response_body']}, "
                             f"the wire {row['request_body']}, {row['response_body']}")
        else:
            differing += 1
    print(f"{producer}: {same} exchanges have the server's contents, {differing} were cut off, {len(rows) - same - differing} have no serial")


class Wire:
    def __init__(self, rows):
        self.rows, self.taken = rows, set()
        self.serials, self.ids = {}, {}
        for row in rows:
            self.serials.setdefault(row["x_serial"], []).append(row)
            self.ids.setdefault(row["x_id"], []).append(row)

    def fits(self, row, method, url):
        parts = urllib.parse.urlsplit(url)
        target = parts.path + ("?" + parts.query if parts.query else "")
        plain = lambda text: urllib.parse.unquote(text, "latin-1").encode("latin-1", "replace")
        same = lambda a, b: a == b or plain(urllib.parse.quote(a, safe="%/?&=:")) == plain(urllib.parse.quote(b, safe="%/?&=:"))
        return row["method"] == method and same(row["target"], target or "/")

    def find(self, method, url, identity, serial):
        """(exchange, all legs of it, known): known is False when its serial is that of an exchange which has a row already."""
        legs = [r for r in self.serials.get(serial, []) if serial and self.fits(r, method, url) and (not identity or r["x_id"] == identity)]
        free = [r for r in legs if id(r) not in self.taken]
        if free:
            return free, True
        # An answer out of a cache has the serial of an earlier one; its own request has its own id.
        if identity:
            free = [r for r in self.ids.get(identity, []) if id(r) not in self.taken and self.fits(r, method, url)]
            if free:
                first = free[0]
                return [r for r in free if r["x_serial"] == first["x_serial"]], True
            return [], not any(self.fits(r, method, url) for r in self.serials.get(serial, []) if serial)
        if serial and self.serials.get(serial):
            return [], False
        free = [r for r in self.rows if id(r) not in self.taken and not r["x_id"] and self.fits(r, method, url)]
        return (free[:1], True) if len(free) == 1 else ([], True)

    def take(self, legs):
        self.taken.update(id(r) for r in legs)


def place(row):
    return f"{row['connection']}:{row['ordinal']}"


def entry_rows(number, legs, cached, failed, types=("request", "response"), chain=()):
    """The truth of one row of a log. `legs` are the messages that the row equals, `chain` the exchanges before the last."""
    for kind in types:
        if cached or not legs:
            yield dict(log_row=number, type=kind, connection="", ordinal="", kind="cached" if cached else "none", also="")
            continue
        main = legs[0]
        rest = list(legs[1:])
        if chain:
            rest = list(chain) + rest if kind == "response" else list(chain[1:]) + [main] + rest
            if kind == "request":
                main = chain[0]
        if kind == "response" and not main["response_bytes"]:
            yield dict(log_row=number, type=kind, connection="", ordinal="", kind="none", also="")
            continue
        status = main["status"]
        if kind == "response" and (failed or not main["response_whole"]) or kind == "request" and not main["request_whole"]:
            what = "aborted"
        elif chain or status in REDIRECTS:
            what = "redirect"
        elif status == "304":
            what = "not-modified"
        else:
            what = "normal"
        yield dict(log_row=number, type=kind, connection=main["connection"], ordinal=main["ordinal"], kind=what, also=" ".join(map(place, rest)))


def header(fields, name):
    return next((f["value"] for f in fields if f["name"].lower() == name), "").split("\n")[-1]


def har(path, wire, prefer=None):
    entries = json.load(open(path))["log"]["entries"]
    out, waiting = [], []
    for number, entry in enumerate(entries, 1):
        request, response = entry["request"], entry["response"]
        cached = bool(entry.get("_fromCache") or response.get("_fetchedViaServiceWorker"))
        failed = response["status"] in (0, -1) or bool(response.get("_error") or response.get("_failureText"))
        waiting.append((number, request["method"], request["url"], header(request["headers"], "x-id"), header(response["headers"], "x-serial"), cached, failed))
    # Those with a response first: what has none takes of what is left.
    results = {}
    for with_serial in (True, False):
        for number, method, url, identity, serial, cached, failed in waiting:
            if bool(serial) != with_serial:
                continue
            legs, known = ([], True) if cached else wire.find(method, url, identity, serial)
            if prefer:
                # The proxy's other leg, of which the client may have had no response.
                there = {id(r) for r in legs}
                legs = legs + [r for r in wire.ids.get(identity, []) if identity and id(r) not in there and id(r) not in wire.taken
                               and r["server"] not in {l["server"] for l in legs} and wire.fits(r, method, url)][:1]
                legs = sorted(legs, key=lambda r: r["server"] != prefer)
            wire.take(legs)
            results[number] = list(entry_rows(number, legs, cached or (not legs and not known), failed))
    for number in sorted(results):
        out += results[number]
    return out


def table(path, wire):
    """A CSV with id and serial; `type`, or both messages in a row."""
    out, rows = [], list(csv.DictReader(open(path, newline="")))
    exchanges = {}
    for number, row in enumerate(rows, 2):
        url = row.get("url") or row["path"]
        key = row["id"], row["serial"], row["method"], url
        serials = row["serial"].split()
        if key not in exchanges:
            if len(serials) > 1:
                legs = [r for s in serials for r in wire.serials.get(s, [])]
                exchanges[key] = legs
            else:
                exchanges[key] = wire.find(row["method"], row.get("target") or url, row["id"], row["serial"])[0]
            wire.take(exchanges[key])
        legs, failed = exchanges[key], bool(row.get("error"))
        types = (row["type"],) if row.get("type") else ("request", "response")
        if len(serials) > 1:
            out += entry_rows(number, legs[-1:], False, failed, types, legs[:-1])
        else:
            out += entry_rows(number, legs, False, failed, types)
    return out


def curl(path, ids, wire):
    out = []
    identities = {int(r["log_row"]): r["id"] for r in csv.DictReader(open(ids))}
    for number, line in enumerate(open(path), 1):
        said, legs = json.loads(line), wire.ids.get(identities[number], [])
        legs = sorted(legs, key=lambda r: r["request_first"])
        failed = said["exitcode"] != 0
        out += entry_rows(number, legs[-1:], False, failed, ("request", "response"), legs[:-1])
    return out


def site_requests(log):
    """source id -> events, of the requests for the site, in their order."""
    types = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    kinds = {number: name for name, number in log["constants"]["logSourceType"].items()}
    found = {}
    for number, event in enumerate(log["events"], 1):
        if kinds[event["source"]["type"]] == "URL_REQUEST":
            parameters = dict(event.get("params") or {}, number=number)
            found.setdefault(event["source"]["id"], []).append((types[event["type"]], parameters))
    return {source: events for source, events in found.items()
            if any(p.get("url", "").startswith(("http://app.example.com", "http://api.example.net", "https://app.example.com", "https://api.example.net")) for _, p in events)}


def strip_netlog(source, target):
    """The requests for the site alone, without what tells of the machine."""
    log = json.load(open(source))
    wanted = site_requests(log)
    kept = {name: log["constants"][name] for name in ("logEventTypes", "logSourceType", "logEventPhase", "timeTickOffset", "logFormatVersion")}
    events = [e for e in log["events"] if e["source"]["id"] in wanted]
    with open(target, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as out:
        out.write(json.dumps({"constants": kept, "events": events}, indent=0).encode())


def netlog(path, wire):
    """The row of a request or a response is the event with its header section, from 1 in the file."""
    out = []
    for _, events in site_requests(json.loads(gzip.open(path).read())).items():
        params = dict(events)
        names = [f"HTTP_TRANSACTION_{which}SEND_REQUEST_HEADERS" for which in ("HTTP2_", "QUIC_", "")]
        lines = {"sent": next((name for name in names if name in params), names[-1]), "got": "HTTP_TRANSACTION_READ_RESPONSE_HEADERS"}
        value = lambda which, name: next((h[len(name):].strip() for h in params.get(lines[which], {}).get("headers", [])
                                          if h.lower().startswith(name)), "")
        url = next(p["url"] for _, p in events if p.get("url"))
        method = params.get(lines["sent"], {}).get("line", "GET ").split(" ")[0] if lines["sent"] == names[-1] else value("sent", ":method:")
        legs, known = wire.find(method, url, value("sent", "x-id:"), value("got", "x-serial:")) if lines["sent"] in params else ([], False)
        wire.take(legs)
        for row in entry_rows(0, legs, not legs, False):
            which = "sent" if row["type"] == "request" else "got"
            if lines[which] in params:
                out.append(dict(row, log_row=params[lines[which]]["number"]))
    return out


def strip_har(source, target):
    """Without contents and posted texts of more than 200 characters, and without what tells of the machine."""
    har = json.load(open(source))
    for entry in har["log"]["entries"]:
        entry["response"]["content"].pop("text", None)
        entry["response"]["content"].pop("encoding", None)
        posted = entry["request"].get("postData")
        if posted:
            # The lengths are what its readers need; the texts are random words.
            for holder in [posted, *posted.get("params", [])]:
                for key in ("text", "value"):
                    if len(holder.get(key) or "") > 60000:
                        del holder[key]
        for key in ("_initiator", "_frameref"):
            entry.pop(key, None)
    with open(target, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as out:
        out.write(json.dumps(har, ensure_ascii=False, indent=1).encode())


STREAMS = "connection stream type message_bytes body_bytes expanded_header_bytes status whole".split()


def write_streams(rows, path):
    """What the server over HTTP/3 counted of each message."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(STREAMS)
        for row in rows:
            for half in ("request", "response"):
                if row[f"{half}_bytes"]:
                    writer.writerow([row["connection"], row["ordinal"], half] + [row[f"{half}_{name}"] for name in ("bytes", "body", "expanded_header")]
                                    + [row["status"] if half == "response" else "", row[f"{half}_whole"]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--site")
    parser.add_argument("--front")
    parser.add_argument("--work")
    parser.add_argument("producer")
    parser.add_argument("folder")
    options = parser.parse_args()
    folder, work, producer = options.folder, options.work, options.producer
    is_http2 = os.path.exists(f"{folder}/capture.pcapng.gz")
    if options.front:         # over HTTP/3 the server says what each stream was
        rows = sorted(map(json.loads, open(options.front)), key=lambda r: r["request_first"])
        write_streams(rows, f"{folder}/capture.streams.csv")
    else:
        rows = truth_h2.read(f"{folder}/capture.pcapng.gz") if is_http2 else truth.read(f"{folder}/capture.pcap.gz")
    if options.site:
        (contents_against_site if is_http2 else against_site)(rows, options.site, producer)

    def write(name, found):
        with open(f"{folder}/{name}.truth.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
        kinds = {}
        for row in found:
            kinds[row["kind"]] = kinds.get(row["kind"], 0) + 1
        print(f"{producer}/{name}: {len(found)} messages;", ", ".join(f"{k} {n}" for k, n in sorted(kinds.items())))

    if work:
        for name in ("log.csv", "totals.csv", "exchanges-log.csv", "log.jsonl", "log.ids.csv"):
            if os.path.exists(f"{work}/{name}"):
                octets = open(f"{work}/{name}", "rb").read()
                # The recording's own certificate, in each line of curl's.
                open(f"{folder}/{name}", "wb").write(re.sub(rb'"certs":"(?:[^"\\]|\\.)*",', b"", octets))
        if os.path.exists(f"{work}/netlog.json"):
            strip_netlog(f"{work}/netlog.json", f"{folder}/netlog.json.gz")
        if os.path.exists(f"{work}/log.har"):
            strip_har(f"{work}/log.har", f"{folder}/log.har.gz")
    if os.path.exists(f"{folder}/log.har.gz"):
        plain = f"{folder}/.log.har"
        open(plain, "wb").write(gzip.decompress(open(f"{folder}/log.har.gz", "rb").read()))
        write("log.har", har(plain, Wire(rows), "192.0.2.1" if producer.startswith("mitmproxy") else None))
        os.remove(plain)
    for name in ("log", "totals", "exchanges-log"):
        if os.path.exists(f"{folder}/{name}.csv"):
            write(f"{name}.csv", table(f"{folder}/{name}.csv", Wire(rows)))
    if os.path.exists(f"{folder}/netlog.json.gz"):
        write("netlog.json", netlog(f"{folder}/netlog.json.gz", Wire(rows)))
    if os.path.exists(f"{folder}/log.jsonl"):
        write("log.jsonl", curl(f"{folder}/log.jsonl", f"{folder}/log.ids.csv", Wire(rows)))


main()
