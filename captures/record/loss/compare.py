"""Holds the report of a mutilated capture against that of the whole one, exchange by exchange.

What is true comes from the traffic's own account (traffic.py's TRUTH) and, for the columns of a row, from the report of the
whole capture, which `check_whole` holds against that account first. What is possible comes from the packets: a pair is
possible when the octets that tell its request and those that tell its response were captured, whatever a report makes of it.
"""
import bisect, csv, os, re, subprocess, sys
from collections import Counter, defaultdict

EXACT_COLUMNS = ["start_line_bytes", "header_bytes", "body_bytes", "framing_bytes", "trailer_bytes", "decoded_body_bytes"]
WHOLE_COLUMNS = EXACT_COLUMNS + ["status"]


class Truth:
    """Where the exchanges of a capture are in its streams, and which packets hold which of their octets."""

    def __init__(self, path, packets):
        self.exchanges = {}
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                self.exchanges[int(row["number"])] = {k: v if k in ("client", "api", "method") else int(v) for k, v in row.items()}
        clients = {p.client for p in packets}
        self.exchanges = {n: e for n, e in self.exchanges.items() if e["client"] in clients}
        self.api = {n: e["api"] for n, e in self.exchanges.items()}
        self.octets = Counter()
        for e in self.exchanges.values():
            self.octets[e["api"]] += e["request_end"] - e["request_start"] + e["response_end"] - e["interim_start"]
        self.place(packets)

    def place(self, packets):
        """Cuts the streams at every edge of a segment and of a message into atoms, which are captured whole or not at all."""
        base, segments, spans = {}, defaultdict(list), defaultdict(list)
        for p in packets:
            if p.client and p.flags & 2:
                base[p.client, p.up] = p.sequence + 1
        for p in packets:
            if p.client and p.payload:
                start = (p.sequence - base[p.client, p.up]) & 0xFFFFFFFF
                segments[p.client, p.up].append((start, start + p.payload, p.number))
        for n, e in self.exchanges.items():
            spans[e["client"], True] += [(e["request_start"], e["request_told"], n, True), (e["request_told"], e["request_end"], n, False)]
            spans[e["client"], False] += [(e["interim_start"], e["response_start"], n, False), (e["response_start"], e["response_told"], n, True),
                                          (e["response_told"], e["response_end"], n, False)]
        self.atoms, self.atoms_of = [], defaultdict(list)   # (number, up, told, octets); packet: [(atom, its end in the payload)]
        self.packets_of = defaultdict(list)                 # (number, up): packets, for accounts of failures
        for stream, held in segments.items():
            messages = sorted(spans[stream])
            edges = sorted({edge for s in held for edge in s[:2]} | {edge for m in messages for edge in m[:2]})
            starts, known = [m[0] for m in messages], {}
            for start, end, number in held:
                for i in range(bisect.bisect_left(edges, start), bisect.bisect_left(edges, end)):
                    a, b = edges[i], edges[i + 1]
                    if a not in known:
                        m = bisect.bisect_right(starts, a) - 1
                        while m >= 0 and messages[m][1] <= a and messages[m][0] == messages[m][1]:
                            m -= 1                          # an empty span
                        if m < 0 or not messages[m][0] <= a < messages[m][1]:
                            known[a] = None                 # of a tunnel
                        else:
                            known[a] = len(self.atoms)
                            self.atoms.append((messages[m][2], stream[1], messages[m][3], b - a))
                    if known[a] is not None:
                        self.atoms_of[number].append((known[a], b - start))
                        of = self.packets_of[self.atoms[known[a]][0], stream[1]]
                        if not of or of[-1] != number:
                            of.append(number)

    def possible(self, planned):
        """From packets alone: the numbers whose request, and whose response, can be told; octets captured by exchange and side."""
        seen, told = bytearray(len(self.atoms)), bytearray(len(self.atoms))
        for p, _, kept in planned:
            for atom, end in self.atoms_of.get(p.number, ()):
                seen[atom] = 1
                if p.headers + end <= kept:
                    told[atom] = 1
        octets, untold = Counter(), set()
        for (number, up, tells, size), was_seen, was_told in zip(self.atoms, seen, told):
            if was_seen:
                octets[number, up] += size
            if tells and not was_told:
                untold.add((number, up))
        requests = {n for n in self.exchanges if (n, True) not in untold}
        responses = {n for n in self.exchanges if (n, False) not in untold}
        return requests, responses, octets

    def best(self, requests, responses, octets):
        """Octets per API off, at best: with all that was captured; with that of exchanges whose request was told; of these,
        without responses that were not told."""
        by_api, asked, told = Counter(), Counter(), Counter()
        for (number, up), count in octets.items():
            by_api[self.api[number]] += count
            if number in requests:
                asked[self.api[number]] += count
                if up or number in responses:
                    told[self.api[number]] += count
        return self.off(by_api), self.off(asked), self.off(told)

    def off(self, given):
        return 100 * sum(abs(given[a] - self.octets[a]) for a in set(given) | set(self.octets)) / sum(self.octets.values())


# --- reports -------------------------------------------------------------------------------------

def number_in(text, pattern):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


def named(row):
    """The number of the exchange whose request a row says it is, or belongs to; None when it names none; 0 for nonsense."""
    if row["path"]:
        return number_in(row["path"], r"^/api-\d\d/.*/(\d{6})$") or number_in(row["path"], r"^n(\d{6})\.") or 0
    if row["host"] and row["method"] == "CONNECT":
        return number_in(row["host"], r"^n(\d{6})\.") or 0
    return number_in(row["host"], r"^n(\d{6})\.")


def rows(folder):
    with open(os.path.join(folder, "messages.csv"), newline="") as f:
        yield from csv.DictReader(f)


# Runs a program from a small process: what a child has resident at most counts what its parent had when it forked.
WEIGH = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def analyse(sniffer, capture, folder):
    """Runs the program; (seconds of CPU, KiB resident at most, what it said and its status)."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", WEIGH, sniffer, "analyze", capture, "-o", folder, "--quiet", "--no-progress"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = run.stderr.strip()
    if run.returncode or not os.path.exists(os.path.join(folder, "messages.csv")):
        sys.exit(f"measure: {capture}: no report: {said}")
    seconds, memory, status = run.stdout.split()
    return float(seconds), int(memory), f"status {status} {said}" if status != "0" else ""


class Whole:
    """The whole capture's report, by exchange."""

    def __init__(self, folder, truth):
        self.request, self.response, self.interim, self.faults = {}, {}, {}, []
        for row in rows(folder):
            n = named(row) if row["type"] != "response" else number_in(row["content_type"], r"n=(\d{6})$")
            {"request": self.request, "response": self.response, "interim": self.interim}[row["type"]].setdefault(n, row)
        for n, e in truth.exchanges.items():
            asked, answered, interim = self.request.get(n), self.response.get(n), self.interim.get(n)
            fault = (not asked or not answered or named(answered) != n or asked["exactness"] != "exact" or answered["exactness"] != "exact"
                     or asked["method"] != e["method"] or answered["status"] != str(e["status"])
                     or int(asked["message_bytes"]) != e["request_end"] - e["request_start"]
                     or int(answered["message_bytes"]) != e["response_end"] - e["response_start"]
                     or (int(interim["message_bytes"]) if interim else 0) != e["response_start"] - e["interim_start"])
            if fault:
                self.faults.append(n)



def where(row):
    return (f"message {row['message']} (connection {row['connection']}, {row['client']}, {row['type']} {row['method']} {row['status']} "
            f"{row['host']}{row['path']} [{row['content_type']}] {row['exactness']} {row.get('pairing', '')} {row['flags']})")


class Result:
    """What one mutilated report knows; `failures` are (kind of failure, exchange, client, time of the row's first octet in
    nanoseconds, what happened)."""

    def __init__(self):
        self.failures = []

    def fail(self, kind, number, row, what=""):
        self.failures.append((kind, number, row["client"], int(row["first_time"] or 0), where(row) + what))


def labelled(row):
    """Whether a row says itself that its request is not certain."""
    if "pairing" in row:
        return row["pairing"] != "exact"
    return "pairing_uncertain" in row["flags"].split()


def compare(folder, truth, whole, planned):
    r, asked, answered = Result(), {}, {}
    told_requests, told_responses, captured = truth.possible(planned)
    given = Counter()
    r.invented = r.exact_wrong = r.interim_wrong = r.other_wrong = 0
    for row in rows(folder):
        kind, name, exact = row["type"], named(row), row["exactness"] == "exact"
        if name is not None:
            given[truth.api.get(name, "no API")] += int(row["message_bytes"])
        if kind == "interim":
            if name is not None and name not in whole.interim:
                r.interim_wrong += 1
                r.exact_wrong += exact and not labelled(row)
                r.fail("interim of another request", name, row)
            elif name is not None and exact and any(row[c] != whole.interim[name][c] for c in WHOLE_COLUMNS):
                r.exact_wrong += 1
                r.fail("exact and wrong", name, row)
            continue
        own = name if kind == "request" else number_in(row["content_type"], r"n=(\d{6})$")
        mine, truths = (asked, whole.request) if kind == "request" else (answered, whole.response)
        if own is None and not exact:
            continue                                        # a row that does not say who it is, and does not claim to be whole
        if own not in truth.exchanges or truth.exchanges[own]["client"] != row["client"] or own in mine:
            r.invented += 1
            r.exact_wrong += exact
            r.fail("invented" + (", exact" if exact else ""), own, row)
            continue
        mine[own] = row
        if exact:
            true = truths[own]
            wrong = [c for c in WHOLE_COLUMNS if row[c] != true[c]]
            if not labelled(row):                           # whose request is uncertain, by its own word, is counted with the pairs
                if row["method"] and row["method"] != true["method"]: wrong.append("method")
                if name is not None and name != own: wrong.append("path")
            if wrong:
                r.exact_wrong += 1
                r.fail("exact and wrong", own, row, "; true: " + ", ".join(f"{c} {true[c]} not {row[c]}" for c in wrong))
        else:
            true, counted = int(truths[own]["message_bytes"]), int(row["message_bytes"])
            complete = counted + int(row["missing_bytes"])
            # Without a column for octets beyond the snap length, missing_bytes has these too, though they are counted.
            whole_by_count = complete == true or "unseen_bytes" not in row and counted == true
            if counted > true or row["exactness"] == "inferred" and not whole_by_count:
                r.other_wrong += 1
                r.fail(row["exactness"] + " and wrong", own, row, f"; true: {true} octets, not {counted} and {row['missing_bytes']} missing")
    r.requests, r.responses = len(asked), len(answered)
    r.told_requests, r.told_responses = len(told_requests), len(told_responses)
    possible = told_requests & told_responses
    found = set(asked) & set(answered)
    r.possible, r.found, r.unfound = len(possible), len(found), len(possible - found)
    r.right = r.wrong = r.unlabelled = r.lost = 0
    for n in sorted(possible - found):
        missing = [what for what, have in (("request", asked), ("response", answered)) if n not in have]
        r.failures.append(("no row for the " + " and the ".join(missing), n, truth.exchanges[n]["client"], 0, ""))
    for n, row in sorted(answered.items()):
        name = named(row)
        if name is None:
            if n in found:
                r.lost += 1
                r.fail("lost", n, row)
        elif name != n:
            r.wrong += 1
            if not labelled(row):
                r.unlabelled += 1
            r.fail("wrong" + (", labelled" if labelled(row) else ""), n, row)
        elif n in found:
            if row["exchange"] == asked[n]["exchange"]:
                r.right += 1
            else:
                r.wrong += 1
                r.unlabelled += not labelled(row)
                r.fail("wrong", n, row, "; the path is its request's, the exchange is not")
    r.missing, r.best, r.heads = truth.best(told_requests, told_responses, captured)
    r.off = truth.off(given)
    return r


def tshark(capture, truth):
    """(right, wrong) pairs as tshark gives them; those of a frame whose fields cannot be told apart are in neither."""
    fields = ["http.content_type", "http.response.code", "http.response_for.uri"]
    said = subprocess.run(["tshark", "-r", capture, "-Y", "http.response", "-T", "fields", "-E", "aggregator=|", "-E", "separator=/t"]
                          + [a for f in fields for a in ("-e", f)], capture_output=True, text=True).stdout
    right = wrong = 0
    for line in said.splitlines():
        types, codes, uris = (line.split("\t") + [""] * 2)[:3]
        final = [not code.startswith("1") for code in codes.split("|")]
        numbers = [int(n) for n in re.findall(r"n=(\d{6})", types)]
        named_by = [number_in(u, r"/(\d{6})(?:\?|$)") or number_in(u, r"n(\d{6})\.") for u in uris.split("|")] if uris else []
        if len(named_by) == len(final):
            named_by = [n for n, counts in zip(named_by, final) if counts]
        if len(numbers) == len(named_by):
            for n, name in zip(numbers, named_by):
                if n in truth.exchanges and name:
                    right, wrong = right + (n == name), wrong + (n != name)
    return right, wrong
