"""Which message is which, by the program's own report of a capture."""
import csv


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def places(folder):
    """message -> PORT:ORDINAL, by the program's report and nothing of its own pairing with a log."""
    out, counts, of_exchange = {}, {}, {}
    messages = rows_of(f"{folder}/messages.csv")
    for row in sorted((r for r in messages if r["type"] == "request"), key=lambda r: int(r["first_time"])):
        counts[row["connection"]] = counts.get(row["connection"], 0) + 1
        # Over HTTP/2 a request is known by its stream.
        of_exchange[row["exchange"]] = f"{row['client'].rsplit(':', 1)[1]}:{row.get('stream') or counts[row['connection']]}"
    for row in messages:
        if row["type"] != "interim":
            out[row["message"]] = of_exchange.get(row["exchange"], "?")
    return out
