import Capture
import Estimates
import HTTPReassembly
import SystemPackage
import Tabular

/// The marks of a live run, read up to the current end of their file.
///
/// The file stays open, so a confined run can read what other users' programs add to it.
struct LiveMarks {
  private let file: OpenFile
  private var list = MarkList()
  /// The start of a line that is not complete, and no more of it than any mark has.
  private var partial: [UInt8] = []
  private var offset = 0
  /// Calls of `poll` until the next look at the file.
  private var untilRead = 0
  /// Calls of `poll` for one look, which is a system call.
  private static let pollInterval = 64
  /// Octets read at once.
  private static let readLength = 1 << 16

  /// Reads a file from its start.
  init(_ file: OpenFile) { self.file = file }

  /// Begins a step for each mark that was written since the last time. Returns the first fault.
  mutating func poll<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>, isIdle: Bool) -> String? {
    untilRead -= 1
    guard isIdle || untilRead < 0 else { return nil }
    untilRead = Self.pollInterval
    var fault: String?
    do throws(Errno) {
      // The length is asked for first, because a read takes memory.
      while try file.length() > offset {
        let octets = try file.next(Self.readLength)
        guard !octets.isEmpty else { break }
        offset += octets.count
        take(octets, &pipeline, &fault)
      }
    } catch {
      fault = fault ?? "the marks cannot be read: \(error)"
    }
    return fault
  }

  private mutating func take<Sink: ReportSink>(
    _ octets: [UInt8], _ pipeline: inout Pipeline<Sink>, _ fault: inout String?
  ) {
    var rest = octets[...]
    while let end = rest.firstIndex(of: 0x0a) {
      keep(rest[..<end])
      takeLine(&pipeline, &fault)
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  private mutating func keep(_ octets: ArraySlice<UInt8>) {
    partial += octets.prefix(max(MarkList.lineLimit + 1 - partial.count, 0))
  }

  private mutating func takeLine<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>, _ fault: inout String?) {
    let known = list.marks.count
    do throws(MarkFault) { try list.take(partial[...]) } catch { fault = fault ?? "the marks: \(error.description)" }
    partial.removeAll(keepingCapacity: true)
    for mark in list.marks[known...] { pipeline.add(mark) }
  }
}
