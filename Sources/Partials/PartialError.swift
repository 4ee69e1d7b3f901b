import HTTPReassembly
import Packets
import SystemPackage
import Tabular

/// Why a partial cannot be used. The description is one line that names the file.
public struct PartialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Equatable, Sendable {
    /// It cannot be read; the system's error number.
    case cannotRead(errno: Int32)
    /// It is no partial.
    case notAPartial
    /// It is a partial of another version of the format.
    case version(Int)
    /// It is cut, or octets of it are not those that were written.
    case damaged
    /// It was made with other options, which are these; empty for none.
    case options(String)
    /// It was made with other secrets.
    case keys
    /// It was made with another length of intervals of time.
    case interval
    /// A connection of a capture of it may be one that an earlier partial has the beginning of: its endpoints, and the capture.
    case sameEndpoints(String, String, capture: String)
    /// It has not all packets of a capture, which is named, as it must for copies to be found.
    case lacksPackets(capture: String)
    /// More captures of the same time than are read together.
    case tooManyAtOnce
    /// The same capture is in another partial, too; the path of that.
    case repeated(String)
  }

  /// The partial's path.
  public var file: String
  /// What is wrong.
  public var problem: Problem

  init(_ file: String, _ problem: Problem) {
    self.file = file
    self.problem = problem
  }

  /// What is wrong with what a partial says.
  package init(_ file: String, capture: String, fault: PartFault) {
    switch fault {
    case .cut, .damaged: self.init(file, .damaged)
    case .sameEndpoints(let a, let b):
      self.init(file, .sameEndpoints(a.description, b.description, capture: capture))
    }
  }

  /// One line: the file, and what is wrong.
  public var description: String { "\(TextEscaping.string(Array(file.utf8))): \(problem.description)" }
}

extension PartialError.Problem: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .cannotRead(let errno): "cannot read: \(Errno(rawValue: errno))"
    case .notAPartial: "not a partial: sniffer analyze CAPTURE --partial FILE makes one"
    case .version(let version):
      "a partial of version \(version), which this program does not read: make it again from its capture"
    case .damaged: "the partial is damaged: make it again from its capture"
    case .options(let options):
      "made with other options than are given here: \(options.isEmpty ? "none" : TextEscaping.string(Array(options.utf8)))"
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
    case .repeated(let other):
      "has the same capture as \(TextEscaping.string(Array(other.utf8))): a packet would count twice"
    }
  }
}
