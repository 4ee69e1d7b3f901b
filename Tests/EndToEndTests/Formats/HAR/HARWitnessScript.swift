/// What Python makes of a HAR: strict JSON, the schema, two libraries, and the CSV files of the same run.
enum HARWitnessScript {
  static let text = #"""
    import csv, datetime, json, sys
    from decimal import Decimal

    folder, schema, mode = sys.argv[1:4]
    path = folder + "/report.har"
    bad = []

    def check(what, mine, other):
        if mine != other: bad.append("%s: %r is not %r" % (what, mine, other))

    def members(pairs):
        names = [name for name, _ in pairs]
        check("members", len(names), len(set(names)))
        return dict(pairs)

    def refuse(constant): raise ValueError(constant)

    def read(path):
        with open(path, "rb") as file: return file.read().decode("utf-8", "strict")

    text = read(path)
    for character in text:
        number = ord(character)
        if number < 0x20 and number != 0x0a or 0x7f <= number <= 0x9f or number in (0x2028, 0x2029, 0x202e, 0xfeff):
            bad.append("U+%04X stands in the file" % number)
            break
    log = json.loads(text, object_pairs_hook=members, parse_constant=refuse, parse_float=Decimal)["log"]
    # A lone surrogate is no character, whatever its escape.
    json.dumps(log, ensure_ascii=False, default=str).encode("utf-8", "strict")

    import jsonschema
    validator = jsonschema.Draft202012Validator(
        json.loads(read(schema)), format_checker=jsonschema.FormatChecker())
    for error in validator.iter_errors(json.loads(text)):
        bad.append("schema: %s: %s" % (error.json_path, error.message[:300]))

    from haralyzer import HarParser
    parser = HarParser.from_file(path)
    entries = [entry for page in parser.pages for entry in page.entries]
    check("entries of haralyzer", len(entries), len(log["entries"]))
    # It sorts by time, in microseconds; entries are in the order of their numbers.
    for entry, mine in zip(entries, sorted(log["entries"], key=lambda entry: entry["startedDateTime"][:26])):
        check("haralyzer status", entry.response.status, mine["response"]["status"])
        check("haralyzer time", entry.startTime.replace(tzinfo=None).isoformat()[:19], mine["startedDateTime"][:19])
        check("haralyzer sizes", entry.response.bodySize, mine["response"]["bodySize"])
        for side in (entry.request, entry.response):
            str(side), side.headers, side.httpVersion, side.mimeType, side.url
        entry.request.cookies, entry.url, entry.secure, entry.port, entry.timings

    import hario_core.parse
    archive = hario_core.parse.parse(path)
    check("entries of hario", len(archive.entries), len(log["entries"]))
    for entry, mine in zip(archive.entries, log["entries"]):
        check("hario size", entry.response.content.size, mine["response"]["content"]["size"])
        check("hario time", float(entry.time), float(mine["time"]))

    def nanoseconds(text):
        whole, fraction = text.rstrip("Z").split(".")
        time = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
        return int(time.timestamp()) * 10**9 + int(fraction)

    def cell(row, column):
        text = row[column]
        return text[1:] if text.startswith("'") else text

    parts = {
        "start_line_bytes": "_wireStartLineBytes", "header_bytes": "_wireHeaderBytes",
        "body_bytes": "_wireBodyBytes", "framing_bytes": "_wireFramingBytes", "trailer_bytes": "_wireTrailerBytes",
        "message_bytes": "_wireMessageBytes", "retransmitted_bytes": "_wireRetransmittedBytes",
        "overhead_bytes": "_wireOverheadBytes", "ip_bytes": "_wireIPBytes", "missing_bytes": "_wireMissingBytes",
        "tls_bytes": "_wireTLSBytes", "control_bytes": "_wireControlBytes",
        "tunnel_bytes": "_wireTunnelBytes",
    }
    phases = {"dns_ms": "dns", "send_ms": "send", "wait_ms": "wait", "receive_ms": "receive"}

    def table(name): return list(csv.DictReader(read(folder + "/" + name).split("\r\n")))

    def compare(message, row):
        what = "message " + row["message"]
        check(what, message["_wireMessage"], int(row["message"]))
        for column, key in parts.items(): check(what + " " + column, message[key], int(row[column]))
        decoded = message.get("_wireDecodedBodyBytes")
        check(what + " decoded", "" if decoded is None else str(decoded), row["decoded_body_bytes"])
        check(what + " flags", " ".join(message["_wireFlags"]), row["flags"])
        check(what + " exactness", message["_wireExactness"], row["exactness"])
        check(what + " first", nanoseconds(message["_wireFirstTime"]), int(row["first_time"]))
        check(what + " last", nanoseconds(message["_wireLastTime"]), int(row["last_time"]))
        atLeast = row["exactness"] == "at_least"
        header = int(row["start_line_bytes"]) + int(row["header_bytes"])
        check(what + " headersSize", message["headersSize"] in ((header, -1) if atLeast else (header,)), True)
        body = 0 if row["status"] == "304" else -1 if atLeast else int(row["body_bytes"])
        check(what + " bodySize", message["bodySize"], body)
        if row["type"] == "response":
            content = message["content"]
            check(what + " size", content["size"], int(row["decoded_body_bytes"] or -1))
            known = row["decoded_body_bytes"] and not atLeast
            check(what + " compression", content.get("compression"), content["size"] - body if known else None)

    for entry in log["entries"]:
        timings = entry["timings"]
        numbers = [timings[name] for name in ("blocked", "dns", "connect", "send", "wait", "receive")]
        check("time", entry["time"], sum(number for number in numbers if number != -1))

    if mode == "csv":
        messages, exchanges = table("messages.csv"), table("exchanges.csv")
        byNumber = {row["message"]: row for row in messages}
        check("entries", len(log["entries"]), len(exchanges))
        seen, interim = set(), {}
        for row in messages:
            if row["type"] == "interim": interim.setdefault(row["exchange"], []).append(row)
        for entry, row in zip(log["entries"], exchanges):
            what = "exchange " + row["exchange"]
            request, response, timings = entry["request"], entry["response"], entry["timings"]
            check(what, request.get("_wireExchange", int(row["exchange"])), int(row["exchange"]))
            check(what + " started", nanoseconds(entry["startedDateTime"]), int(row["started"]))
            check(what + " connection", entry["connection"], row["connection"])
            check(what + " status", response["status"], int(row["status"] or 0))
            check(what + " ip", response["_wireExchangeIPBytes"], int(row["ip_bytes"]))
            absent = timings.get("_wireAbsent", [])
            for column, name in phases.items():
                mine = None if timings[name] == -1 or name in absent else timings[name]
                check(what + " " + name, mine, Decimal(row[column]) if row[column] else None)
            connect = [Decimal(row[column]) for column in ("connect_ms", "tls_ms") if row[column]]
            check(what + " connect", timings["connect"], sum(connect) if connect else -1)
            if row["request"]:
                seen.add(row["request"])
                mine = byNumber[row["request"]]
                check(what + " method", request["method"], cell(row, "method"))
                check(what + " host", request["_wireHost"], cell(row, "host"))
                check(what + " path", request["_wirePath"], cell(row, "path"))
                check(what + " query", str(request.get("_wireQueryBytes", "")), mine["query_bytes"])
                check(what + " client", request["_wireClient"], mine["client"])
                check(what + " server", request["_wireServer"], mine["server"])
                check(what + " address", entry.get("serverIPAddress", mine["server"].rsplit(":", 1)[0].strip("[]")),
                      mine["server"].rsplit(":", 1)[0].strip("[]"))
                compare(request, mine)
            else:
                check(what + " no request", "_wireMessage" in request, False)
            if row["response"]:
                seen.add(row["response"])
                check(what + " type", response["content"]["mimeType"], cell(byNumber[row["response"]], "content_type"))
                compare(response, byNumber[row["response"]])
            else:
                check(what + " no response", "_wireMessage" in response, False)
            rows = interim.get(row["exchange"], [])
            sums = response.get("_wireInterim")
            check(what + " interim", sums["_wireResponses"] if sums else 0, len(rows))
            for column, key in parts.items():
                check(what + " interim " + column, sums[key] if sums else 0, sum(int(row[column]) for row in rows))
            seen.update(row["message"] for row in rows)
        check("messages", len(seen), len(messages))
        for row in table("ledger.csv"):
            if row["class"] in log["_wireLedger"]:
                check("ledger " + row["class"], log["_wireLedger"][row["class"]], int(row["bytes"]))
    print("\n".join(bad[:20]) if bad else "checked %d entries" % len(log["entries"]))
    sys.exit(1 if bad else 0)
    """#
}
