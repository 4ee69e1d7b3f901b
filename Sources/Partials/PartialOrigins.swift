import Capture

/// The numbers of processes and comments. Equal things of several partials have the same number, as in several captures.
struct PartialOrigins: ~Copyable {
  private var processes: [ProcessRecord: UInt16] = [:]
  private var comments: [[UInt8]: UInt16] = [:]
  private var commentOctets = 0
  /// The meaning of the numbers in the current partial; each partial has numbers of its own.
  var meaning = Meaning()

  /// The numbers here, by the numbers of a partial.
  struct Meaning {
    fileprivate var processes: [UInt16: UInt16] = [:]
    fileprivate var comments: [UInt16: UInt16] = [:]
  }

  /// The number here of a process; 0 for none, or if no number is left.
  func process(_ number: UInt16) -> UInt16 { meaning.processes[number] ?? 0 }
  /// The number here of a comment; 0 for none, or if no number is left.
  func comment(_ number: UInt16) -> UInt16 { meaning.comments[number] ?? 0 }

  /// Learns a process with its number in the partial. Returns the process if it is new here.
  mutating func learn(_ record: ProcessRecord, _ number: UInt16) -> ProcessRecord? {
    if let known = processes[record] {
      meaning.processes[number] = known
      return nil
    }
    guard processes.count < CaptureLimits.numberedProcesses else { return nil }
    var numbered = record
    numbered.number = UInt16(processes.count + 1)
    processes[record] = numbered.number
    meaning.processes[number] = numbered.number
    return numbered
  }

  /// Learns a comment with its number in the partial. Returns the comment if it is new here.
  mutating func learn(comment octets: [UInt8], _ number: UInt16) -> CommentRecord? {
    if let known = comments[octets] {
      meaning.comments[number] = known
      return nil
    }
    guard comments.count < CaptureLimits.numberedComments,
      commentOctets + octets.count <= CaptureLimits.commentOctets
    else { return nil }
    commentOctets += octets.count
    let new = UInt16(comments.count + 1)
    comments[octets] = new
    meaning.comments[number] = new
    return CommentRecord(number: new, octets: octets)
  }
}
