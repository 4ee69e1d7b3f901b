import HTTPReassembly
import Packets
import SystemPackage
import Tabular

/// The reason why a partial cannot be used. The description is one line that names the file.
public struct PartialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  public enum Problem: Equatable, Sendable {
    /// The file cannot be read; the system's error number.
    case cannotRead(errno: Int32)
    /// The file is no partial.
    case notAPartial
    /// The partial has another version of the format.
    case version(Int)
    /// The partial is cut, or some of its octets have changed.
    case damaged
    /// The partial was made with these options, and not with the expected ones; empty without options.
    case options(String, expected: String)
    /// The partial was made with other secrets.
    case keys
    /// The partial was made with another length of time intervals.
    case interval
    /// A connection may be the continuation of one in an earlier partial. Gives its endpoints and the capture.
    case sameEndpoints(String, String, capture: String)
    /// The partial lacks packets of the given capture, so copies cannot be found.
    case lacksPackets(capture: String)
    /// More simultaneous captures than can be read together.
    case tooManyAtOnce
    /// The blocks of simultaneous captures take more memory than they may.
    case tooLargeAtOnce
    /// The path leads to a pipe, a folder or a device, or stands for standard input.
    case notAFile
    /// The same capture is in another partial, too, whose path is given.
    case repeated(String)
  }

  /// The partial's path.
  public var file: String
  /// The problem.
  public var problem: Problem

  init(_ file: String, _ problem: Problem) {
    self.file = file
    self.problem = problem
  }

  /// Creates an error for a fault in a partial's records.
  package init(_ file: String, capture: String, fault: PartFault) {
    switch fault {
    case .cut, .damaged: self.init(file, .damaged)
    case .sameEndpoints(let a, let b):
      self.init(file, .sameEndpoints(a.description, b.description, capture: capture))
    }
  }

  /// One line with the file and the problem.
  public var description: String { "\(TextEscaping.string(Array(file.utf8))): \(problem.description)" }
}

extension PartialError.Problem: CustomStringConvertible {
  /// The problem, without the file.
  public var description: String {
    switch self {
    case .cannotRead(let errno): "cannot read: \(Errno(rawValue: errno))"
    case .notAPartial: "not a partial: sniffer analyze CAPTURE --partial FILE makes one"
    case .version(let version):
      "a partial of version \(version), which this program does not read: make it again from its capture"
    case .damaged: "the partial is damaged, and left out: make it again from its capture"
    case .options(let options, let expected):
      "made with \(Self.words(options)), and not with \(Self.words(expected)) as the others or this command"
    case .keys: "made with other secrets than are given here: give each command the same --keys"
    case .interval: "made with another --interval than is given here: give each command the same"
    case .sameEndpoints(let a, let b, let capture):
      """
      a connection between \(a) and \(b) may be one that an earlier partial has the beginning of: make it again with \
      --keep-packets from \(TextEscaping.string(Array(capture.utf8)))
      """
    case .lacksPackets(let capture):
      """
      it has not all packets of \(TextEscaping.string(Array(capture.utf8))), as it must for copies to be found: make it again with \
      --keep-packets
      """
    case .tooManyAtOnce: "more than \(OverlappingPartials.limit) captures of the same time"
    case .tooLargeAtOnce:
      """
      partials of the same time take more than \(OverlappingPartials.memoryLimit >> 20) MiB of memory; merge fewer at once, or \
      make them again with this program
      """
    case .notAFile: "not a file: a partial has to be one, because it is read from its end"
    case .repeated(let other):
      "has the same capture as \(TextEscaping.string(Array(other.utf8))): a packet would count twice"
    }
  }

  private static func words(_ options: String) -> String {
    options.isEmpty ? "no options" : TextEscaping.string(Array(options.utf8))
  }
}
