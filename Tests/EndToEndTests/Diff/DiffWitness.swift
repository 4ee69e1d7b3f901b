import Foundation
import Testing

/// Python, which computes a comparison from the two `apis.csv` with fractions, and holds what `sniffer diff` wrote
/// against it, cell by cell and row by row.
enum DiffWitness {
  /// What is different; empty when nothing is.
  static func differences(
    base: URL, new: URL, csv: String, json: String, share: String, floor: Int, isPerRequest: Bool
  ) throws -> String {
    let scratch = try Scratch()
    let outcome = try Command.run(
      try #require(FormatWitness.python),
      [
        "-c", script, base.path, new.path, try scratch.file("diff.csv", Array(csv.utf8)).path,
        try scratch.file("diff.json", Array(json.utf8)).path, share, "\(floor)", isPerRequest ? "1" : "0",
      ])
    return outcome.status == 0 && outcome.output.hasPrefix("compared ") ? "" : outcome.output + outcome.error
  }

  private static let script = #"""
    import csv, json, sys
    from decimal import Decimal
    from fractions import Fraction

    share, floor, by_request = Fraction(sys.argv[5]), int(sys.argv[6]), sys.argv[7] == "1"

    def rows(path):
        return list(csv.DictReader(open(path, newline="", encoding="utf-8"), strict=True))

    names = [name for name in ("host", "path", "method") if name in rows(sys.argv[1])[0]]
    base, new = [{tuple(row[name] for name in names): row for row in rows(path)} for path in sys.argv[1:3]]
    waits = ["wait_ms_p50", "wait_ms_p95"]
    plain = [name for name in next(iter(base.values())) if name not in names + waits]
    sums = {part + "_bytes": ["request_%s_bytes" % part, "response_%s_bytes" % part]
            for part in ("start_line", "header", "body", "framing", "trailer", "ip")}
    sums["message_bytes"] = ["request_bytes", "response_bytes"]
    sums["tls_bytes"] = ["request_tls_bytes", "response_tls_bytes"]
    sums["errors"] = ["status_4xx", "status_5xx"]

    def figures(row):
        values = {name: int(row[name]) if row else 0 for name in plain}
        values.update({name: sum(values[part] for part in parts) for name, parts in sums.items()})
        average = None
        if values["requests"]:
            # Rounded to thousandths, halves up.
            average = Fraction((2000 * values["ip_bytes"] + values["requests"]) // (2 * values["requests"]), 1000)
        values["ip_bytes_per_request"] = average
        for name in waits: values[name] = Fraction(Decimal(row[name])) if row and row[name] else None
        return values

    def number(text): return None if text == "" else Fraction(Decimal(text))

    expected = []
    for key in set(base) | set(new):
        old, now = figures(base.get(key)), figures(new.get(key))
        difference = {name: None if old[name] is None or now[name] is None else now[name] - old[name] for name in old}
        change = ("new" if key not in base else "vanished" if key not in new else
                  "grew" if difference["ip_bytes"] > 0 else "shrank" if difference["ip_bytes"] < 0 else
                  "same" if old == now else "changed")
        before, after = Fraction(old["ip_bytes"]), Fraction(now["ip_bytes"])
        known = True
        if by_request:
            known = old["requests"] > 0 and now["requests"] > 0
            if known: before, after = before / old["requests"], after / now["requests"]
        beyond = known and after - before > floor and after - before > share * before
        expected.append((-abs(difference["ip_bytes"]), [part.encode() for part in key], key, change, beyond, old, now, difference))
    expected.sort(key=lambda row: row[:2])

    bad = []
    found, document = rows(sys.argv[3]), json.load(open(sys.argv[4], encoding="utf-8"))
    if len(found) != len(expected) or len(document["apis"]) != len(expected): bad.append("number of rows")
    count = 0
    for wanted, row, object in zip(expected, found, document["apis"]):
        key, change, beyond, old, now, difference = wanted[2:]
        if tuple(row[name] for name in names) != key: bad.append("expected %r, found %r" % (key, row["path"]))
        if row["change"] != change or row["beyond_threshold"] != str(int(beyond)): bad.append("%r: %s %s" % (key, change, beyond))
        if list(row) != list(object): bad.append("columns of CSV and JSON")
        for prefix, values in (("base_", old), ("new_", now), ("difference_", difference)):
            for name, value in values.items():
                cell, member = row[prefix + name], object[prefix + name]
                count += 1
                if number(cell) != value: bad.append("%r %s%s: %r is not %r" % (key, prefix, name, cell, value))
                if (None if member is None else number(str(member))) != value:
                    bad.append("JSON %r %s%s: %r is not %r" % (key, prefix, name, member, value))
    if set(found[0]) != set(names) | {"change", "beyond_threshold"} | {p + n for p in ("base_", "new_", "difference_") for n in figures(None)}:
        bad.append("other columns")
    for name in plain + list(sums):
        total = sum(row[7][name] for row in expected)
        if document["total"]["difference_" + name] != total: bad.append("total of " + name)
    if document["threshold"]["apis_beyond"] != sum(row[4] for row in expected): bad.append("how many are beyond")
    print("\n".join(bad[:20]) if bad else "compared %d cells" % count)
    """#
}
