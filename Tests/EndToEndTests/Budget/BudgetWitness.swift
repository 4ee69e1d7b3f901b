import Foundation
import Testing

/// Python, which holds limits against `apis.csv` and `exchanges.csv` with fractions and regular expressions of its own, and
/// compares what it finds with `budget.csv`.
enum BudgetWitness {
  /// What is different in a folder that `sniffer budget` wrote; empty when nothing is.
  static func differences(in folder: URL) throws -> String {
    let outcome = try Command.run(try #require(FormatWitness.python), ["-c", script, folder.path])
    return outcome.status == 0 && outcome.output.hasPrefix("compared ") ? "" : outcome.output + outcome.error
  }

  private static let script = #"""
    import csv, functools, math, re, sys
    from decimal import Decimal
    from fractions import Fraction

    def rows(name): return list(csv.DictReader(open("%s/%s.csv" % (sys.argv[1], name), newline="", encoding="utf-8"), strict=True))

    @functools.lru_cache(None)
    def matches(pattern, name, flags=0):
        parts = re.findall(r"\*+|\?|[^*?]+", pattern)
        return re.fullmatch("".join(
            ".*" if part.startswith("**") else "[^/]*" if part == "*" else "[^/]" if part == "?" else re.escape(part)
            for part in parts), name, flags | re.S) is not None

    apis, exchanges, bad = rows("apis"), rows("exchanges"), []

    waits_by_key = {}
    for row in exchanges:
        if row["wait_ms"] != "":
            waits_by_key.setdefault((row["host"], row["path"]), []).append(Fraction(Decimal(row["wait_ms"])))

    def waits_of(group):
        return sorted(wait for row in group for wait in waits_by_key.get((row["host"], row["path"]), []))

    def percentile(group, percent):
        waits = waits_of(group)
        return waits[max(math.ceil(len(waits) * percent / 100), 1) - 1] if waits else None

    def value(figure, group):
        def total(*names): return sum(int(row[name]) for row in group for name in names)
        both = re.fullmatch("(start_line|header|body|framing|trailer|ip)_bytes", figure)
        if figure == "up_bytes": return Fraction(total("request_ip_bytes"))
        if figure == "down_bytes": return Fraction(total("response_ip_bytes"))
        if both: return Fraction(total("request_" + figure, "response_" + figure))
        if figure == "message_bytes": return Fraction(total("request_bytes", "response_bytes"))
        if figure == "errors": return Fraction(total("status_4xx", "status_5xx"))
        if figure == "error_share":
            responses = total("responses")
            return Fraction(total("status_4xx", "status_5xx"), responses) if responses else None
        if figure.startswith("wait_ms_p"): return percentile(group, int(figure[9:]))
        return Fraction(total(figure))

    found = rows("budget")
    for check in found:
        rule = [row for row in apis if (row["host"] or row["path"])
                and matches(check["host_pattern"], row["host"], re.I) and matches(check["path_pattern"], row["path"])]
        if check["per"] != "match": rule = [row for row in rule if (row["host"], row["path"]) == (check["host"], check["path"])]
        elif check["host"] or check["path"]: bad.append("an API for all that match")
        if not rule: bad.append("%(host)s%(path)s does not match" % check)
        actual = value(check["figure"], rule)
        if check["per"] == "request":
            requests = sum(int(row["requests"]) for row in rule)
            actual = actual / requests if requests else None
        limit = Fraction(Decimal(check["limit"]))
        exceeded = actual is not None and actual > limit
        # More than 512 waits are kept in buckets, within 1/128.
        coarse = Fraction(0)
        if check["figure"].startswith("wait_ms_p") and len(waits_of(rule)) > 512:
            coarse = actual / 128
            if abs(actual - limit) <= coarse: exceeded = check["exceeded"] == "1"
        if check["exceeded"] != str(int(exceeded)): bad.append("%r: %s" % (check, actual))
        # Averages have three decimals, shares six.
        near = Fraction(1, {"bytes_per_request": 2000, "share": 2000000}.get(check["unit"], 10 ** 12)) + coarse
        for name, wanted in (("actual", actual), ("over", actual - limit if exceeded else None)):
            cell = None if check[name] == "" else Fraction(Decimal(check[name]))
            if (cell is None) != (wanted is None) or cell is not None and abs(cell - wanted) > near:
                bad.append("%s %r: %s" % (name, check, wanted))
    # Every API that a rule is about, and no more of them.
    for line in {check["line"] for check in found}:
        mine = [check for check in found if check["line"] == line]
        about = sum(1 for row in apis if (row["host"] or row["path"]) and matches(mine[0]["host_pattern"], row["host"], re.I)
                    and matches(mine[0]["path_pattern"], row["path"]))
        figures = len({check["figure"] for check in mine})
        if len(mine) != figures * (1 if mine[0]["per"] == "match" else about): bad.append("rows of line " + line)
    print("\n".join(bad[:20]) if bad else "compared %d checks" % len(found))
    """#
}
