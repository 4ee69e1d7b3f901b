import Foundation
import Testing

/// Readers of Parquet that share no code with this project, which are held against the database and the CSV files of the same run.
enum ParquetWitness {
  private static let packages = PythonPackages(
    "parquet-witness", ["pyarrow>=18", "polars>=1.20", "duckdb==1.4.2"], modules: ["pyarrow", "polars", "duckdb"])
  /// Python with pyarrow, polars and DuckDB.
  static var python: URL? { packages.python }
  /// Why there is none.
  static var reason: String { packages.reason }

  /// The differences in each folder with CSV, SQLite and Parquet; empty when there are none.
  static func differences(in folders: [URL]) throws -> String {
    let outcome = try packages.run(comparison, each: folders.map { [$0.path] })
    let compared = outcome.outputLines.count { $0.hasPrefix("compared ") }
    return outcome.status == 0 && compared == folders.count ? "" : outcome.output + outcome.error
  }

  /// The same for one folder.
  static func differences(in folder: URL) throws -> String { try differences(in: [folder]) }

  /// What a query of DuckDB gives in a folder, a row a line and `|` between values.
  static func query(_ sql: String, in folder: URL) throws -> [String] {
    let outcome = try run(querying, [folder.path, sql])
    // Not required: who waits for a file asks before it is there, and that is no failure of a test.
    guard outcome.status == 0 else { throw CommandFailed(errorOutput: outcome.error) }
    return outcome.outputLines
  }

  /// What a file says of itself.
  static func facts(_ file: URL) throws -> [String: String] {
    let outcome = try run(reading, [file.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    return try JSONDecoder().decode([String: String].self, from: Data(outcome.outputOctets))
  }

  /// Runs a script with the readers.
  static func run(_ script: String, _ arguments: [String]) throws -> Outcome {
    try Command.run(try #require(python), ["-c", script] + arguments)
  }

  private static let querying = """
    import duckdb, os, sys
    os.chdir(sys.argv[1])
    for row in duckdb.sql(sys.argv[2]).fetchall():
        print("|".join("" if value is None else str(value) for value in row))
    """

  private static let reading = """
    import json, pyarrow.parquet, sys
    file = pyarrow.parquet.ParquetFile(sys.argv[1])
    facts = {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}
    facts["created_by"] = file.metadata.created_by
    print(json.dumps(facts))
    """

  private static let comparison = #"""
    import csv, decimal, os, sqlite3, sys
    import duckdb, polars, pyarrow, pyarrow.parquet

    csv.field_size_limit(1 << 30)
    folder = sys.argv[1]
    database = sqlite3.connect("file:%s/report.sqlite?mode=ro" % folder, uri=True)
    bad = []
    cells = 0
    times = {"first_time", "last_time", "opened", "closed", "started", "start", "time"}

    def check(what, mine, other):
        if mine != other: bad.append("%s: %r is not %r" % (what, mine, other))

    def is_time(table, column): return column in times or column == "end" and table in ("timeline", "steps")

    def written(table):
        """The cells of a CSV file, of numbers with decimals as they stand there."""
        with open("%s/%s.csv" % (folder, table), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, strict=True))
        return rows[0], rows[1:]

    def statistics(path, what):
        """Each row group's statistics are those of its own rows."""
        file = pyarrow.parquet.ParquetFile(path)
        for group in range(file.metadata.num_row_groups):
            rows = file.read_row_group(group)
            description = file.metadata.row_group(group)
            check(what + " rows of a group", description.num_rows, rows.num_rows)
            check(what + " length of a group", rows.num_rows <= 131072, True)
            for index in range(description.num_columns):
                chunk = description.column(index)
                values = rows.column(index)
                known = values.drop_null()
                mine = chunk.statistics
                name = "%s %s statistics" % (what, chunk.path_in_schema)
                check(name, chunk.compression, "ZSTD")
                check(name, mine.null_count, values.null_count)
                if len(known) == 0:
                    check(name, mine.has_min_max, False)
                    continue
                if pyarrow.types.is_string(values.type):
                    # Texts are ordered by their octets, and bounds of long ones are near them.
                    texts = [text.encode() for text in known.to_pylist()]
                    low, high = min(texts), max(texts)
                    least, greatest = mine.min_raw, mine.max_raw
                    least = least if isinstance(least, bytes) else least.encode()
                    check(name, low == least if len(low) <= 64 else low.startswith(least), True)
                    if greatest is None: check(name, len(high) > 64, True)
                    else:
                        greatest = greatest if isinstance(greatest, bytes) else greatest.encode()
                        check(name, high == greatest if len(high) <= 64 else high <= greatest, True)
                elif pyarrow.types.is_decimal(values.type):
                    numbers = known.to_pylist()
                    check(name, (mine.min, mine.max), (min(numbers), max(numbers)))
                else:
                    numbers = known.cast("int64").to_pylist()
                    check(name, (mine.min_raw, mine.max_raw), (min(numbers), max(numbers)))

    tables = ["messages", "exchanges", "connections", "apis", "hosts", "timeline", "steps", "contents", "fields", "grpc", "websockets", "ledger", "anomalies"]
    for table in tables:
        path = "%s/%s.parquet" % (folder, table)
        header, rows = written(table)
        declared = {row[1]: (row[2], row[3]) for row in database.execute("PRAGMA table_info(%s)" % table)}
        columns = header + ["client_address", "client_port", "server_address", "server_port"] * (table in ["messages", "connections"])
        # With checks of each page, and of the metadata.
        mine = pyarrow.parquet.read_table(path, page_checksum_verification=True)
        mine.validate(full=True)
        check(table + " columns", mine.column_names, columns)
        for field in mine.schema:
            kind, is_required = declared[field.name]
            expected = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.decimal128(19, 6), "TEXT": pyarrow.string()}[kind]
            if is_time(table, field.name): expected = pyarrow.timestamp("ns", "UTC")
            check("%s.%s type" % (table, field.name), field.type, expected)
            check("%s.%s nullable" % (table, field.name), field.nullable, not is_required)
        expected = database.execute('SELECT "%s" FROM %s ORDER BY rowid' % ('", "'.join(columns), table)).fetchall()
        check(table + " rows", mine.num_rows, len(expected))
        check(table + " rows of CSV", mine.num_rows, len(rows))

        def compare(reader, values):
            global cells
            for column, name in enumerate(columns):
                kind = declared[name][0]
                for index, (value, row) in enumerate(zip(values[name], expected)):
                    cells += 1
                    other = row[column]
                    if kind == "REAL" and other is not None:
                        other = decimal.Decimal(rows[index][column])
                    if reader == "DuckDB" and is_time(table, name) and other is not None:
                        other = other // 1000
                    check("%s %s.%s of row %d" % (reader, table, name, index), value, other)

        values = {}
        for name in columns:
            column = mine.column(name)
            values[name] = (column.cast("int64") if is_time(table, name) else column).to_pylist()
        compare("pyarrow", values)

        frame = polars.read_parquet(path)
        check(table + " polars", frame.columns, columns)
        values = {}
        for name in columns:
            if is_time(table, name): check(name, frame[name].dtype, polars.Datetime("ns", "UTC"))
            values[name] = (frame[name].cast(polars.Int64) if is_time(table, name) else frame[name]).to_list()
        compare("polars", values)

        def selected(name):
            # DuckDB has no time with a zone that is finer than microseconds.
            return "epoch_us(\"%s\")" % name if is_time(table, name) else "\"%s\"" % name
        result = duckdb.sql("SELECT %s FROM read_parquet('%s')" % (", ".join(map(selected, columns)), path)).fetchall()
        check(table + " rows of DuckDB", len(result), len(expected))
        compare("DuckDB", {name: [row[index] for row in result] for index, name in enumerate(columns)})

        # Each reader passes over row groups by their statistics, and has to find what is there.
        for index, name in enumerate(columns):
            kind = declared[name][0]
            for value in sorted({row[index] for row in expected if row[index] is not None}, key=str)[:3]:
                if kind == "REAL" or is_time(table, name): continue
                count = sum(row[index] == value for row in expected)
                found = duckdb.execute("SELECT count(*) FROM read_parquet('%s') WHERE \"%s\" = ?" % (path, name), [value]).fetchone()
                check("%s.%s = %r" % (table, name, value), found[0], count)
                found = polars.scan_parquet(path).filter(polars.col(name) == value).select(polars.len()).collect().item()
                check("polars %s.%s = %r" % (table, name, value), found, count)
                found = pyarrow.parquet.read_table(path, filters=[(name, "==", value)]).num_rows
                check("pyarrow %s.%s = %r" % (table, name, value), found, count)
        statistics(path, table)

    print("\n".join(bad[:20]) if bad else "compared %d" % cells)
    """#
}
