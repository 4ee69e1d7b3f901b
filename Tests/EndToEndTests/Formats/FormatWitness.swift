import Foundation
import Testing

/// Python's own readers of CSV, JSON and SQLite, which compare what a run wrote in the three formats cell by cell.
enum FormatWitness {
  static let python = Environment.tool("python3")

  /// What is different in a folder with all three; empty when nothing is.
  static func differences(in folder: URL) throws -> String {
    let outcome = try run(comparison, [folder.path])
    return outcome.status == 0 && outcome.output.hasPrefix("compared ") ? "" : outcome.output + outcome.error
  }

  /// What a query of a database gives, a row a line and `|` between values.
  static func query(_ sql: String, of database: URL) throws -> [String] {
    let outcome = try run(querying, [database.path, sql])
    // Not required: who waits for a database asks before it is there, and that is no failure of a test.
    guard outcome.status == 0 else { throw CommandFailed(errorOutput: outcome.error) }
    return outcome.outputLines
  }

  /// All of a database as SQL.
  static func dump(_ database: URL) throws -> String { try run(dumping, [database.path]).output }

  private static func run(_ script: String, _ arguments: [String]) throws -> Outcome {
    try Command.run(try #require(python), ["-c", script] + arguments)
  }

  private static let querying = """
    import sqlite3, sys
    database = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
    for row in database.execute(sys.argv[2]):
        print("|".join("" if value is None else str(value) for value in row))
    """

  private static let dumping = """
    import sqlite3, sys
    for line in sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).iterdump(): print(line)
    """

  private static let comparison = #"""
    import csv, json, sqlite3, sys

    folder = sys.argv[1]
    database = sqlite3.connect("file:%s/report.sqlite?mode=ro" % folder, uri=True)
    bad = []

    def check(what, mine, other):
        if mine != other: bad.append("%s: %r is not %r" % (what, mine, other))

    def pragma(name): return database.execute("PRAGMA " + name).fetchall()

    check("integrity", pragma("integrity_check"), [("ok",)])
    check("references", pragma("foreign_key_check"), [])
    check("user_version", pragma("user_version"), [(2,)])
    check("application_id", pragma("application_id"), [(1399744870,)])
    check("journal_mode", pragma("journal_mode"), [("delete",)])
    check("open messages", database.execute("SELECT count(*) FROM open_messages").fetchall(), [(0,)])
    check("complete", database.execute("SELECT value FROM meta WHERE name = 'complete'").fetchall(), [("1",)])

    def table(name):
        with open("%s/%s.csv" % (folder, name), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, strict=True))
        return rows[0], rows[1:]

    lists = ("host_source", "alt_svc", "https_records")
    def is_list(name, column): return column == "flags" or name == "hosts" and column in lists

    def typed(text, name, column, kind):
        if kind == "INTEGER": return int(text) if text else None
        if kind == "REAL": return float(text) if text else None
        if text.startswith("'"): text = text[1:]
        return text if text or is_list(name, column) else None

    refinements = ["grpc", "websockets", "hosts", "timeline", "steps", "contents", "fields"]

    cells = 0
    for name in ["messages", "exchanges", "connections", "apis", "ledger", "anomalies"] + refinements:
        header, rows = table(name)
        columns = [(row[1], row[2]) for row in pragma("table_info(%s)" % name)]
        for column in ["method", "process"]:
            if name in ["apis", "contents", "fields"] and column not in header:
                check(column, database.execute("SELECT count(%s) FROM %s" % (column, name)).fetchall(), [(0,)])
                columns.remove((column, "TEXT"))
        # Addresses and ports stand beside the endpoints, which have both.
        parts = ["client_address", "client_port", "server_address", "server_port"]
        if name in ["messages", "connections"]:
            check(name + " parts", [column for column, kind in columns[-4:]], parts)
            del columns[-4:]
            for row in database.execute("SELECT client, server, %s FROM %s" % (", ".join(parts), name)):
                cells += 4
                for end, address, port in [(row[0], row[2], row[3]), (row[1], row[4], row[5])]:
                    written = "[%s]:%d" if ":" in address else "%s:%d"
                    check(name + " end", written % (address, port), end)
        check(name + " columns", [column for column, kind in columns], header)
        stored = database.execute('SELECT "%s" FROM %s ORDER BY rowid' % ('", "'.join(header), name)).fetchall()
        check(name + " rows", len(stored), len(rows))
        for row, mine in zip(rows, stored):
            for text, (column, kind), value in zip(row, columns, mine):
                cells += 1
                check("%s %s.%s" % (row[0], name, column), value, typed(text, name, column, kind))

    def constant(text): raise ValueError(text)

    for name in ["messages"] + refinements:
        kinds = dict((row[1], row[2]) for row in pragma("table_info(%s)" % name))
        header, rows = table(name)
        with open("%s/%s.ndjson" % (folder, name), encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
        check(name + " end of the last line", lines.pop(), "")
        check(name + " lines", len(lines), len(rows))
        for row, line in zip(rows, lines):
            pairs = json.loads(line, object_pairs_hook=list, parse_constant=constant)
            own = parts if name == "messages" else []
            check(name + " keys", [key for key, value in pairs], header + own)
            if own:
                check("ends", [value for key, value in pairs[-4:]], list(database.execute(
                    "SELECT %s FROM messages WHERE message = ?" % ", ".join(parts), (int(row[0]),)).fetchone()))
            for text, (key, value) in zip(row, pairs):
                cells += 1
                expected = text.split() if is_list(name, key) else typed(text, name, key, kinds[key])
                check("%s %s.ndjson.%s" % (row[0], name, key), (type(value), value), (type(expected), expected))

    print("\n".join(bad[:20]) if bad else "compared %d" % cells)
    """#
}
