import HTTPReassembly
import Testing

/// What must hold for every capture, here of the package's own.
@Suite struct OwnCaptureTests {
  private static let names = (try? Locations.captureNames) ?? []

  @Test func thereAreCaptures() { #expect(Self.names.count > 20) }

  @Test(arguments: names) func everythingAddsUpTwiceTheSame(name: String) {
    let path = "\(Locations.captures)/\(name)"
    let first = CaptureRun(path: path)
    #expect(first.readError == nil)
    #expect(first.ledger.packets > 0)
    first.expectBalance(name)
    let second = CaptureRun(path: path)
    #expect(first.ledger == second.ledger)
    #expect(first.anomalies == second.anomalies)
    #expect(first.rows == second.rows)
  }

  /// Wherever a capture ends, nothing is left over.
  @Test(arguments: names) func everyPrefixAddsUp(name: String) {
    let path = "\(Locations.captures)/\(name)"
    let whole = CaptureRun(path: path).ledger.packets
    let lengths: Set<Int> = [
      0, 1, 2, 3, 4, 5, 7, 11, 17, 29, 53, 101, whole / 5, whole / 3, whole / 2, whole * 2 / 3, whole * 4 / 5,
      whole - 2,
      whole - 1,
    ]
    for length in lengths.sorted() where length >= 0 && length < whole {
      let prefix = CaptureRun(path: path, limit: length)
      #expect(prefix.ledger.packets == length, "\(name)")
      prefix.expectBalance("\(name), first \(length) packets")
    }
  }
}
