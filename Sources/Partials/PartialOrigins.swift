import Capture

/// The numbers of processes and comments: equal things of several partials have the same number, as those of several captures do.
struct PartialOrigins: ~Copyable {
  private var processes: [ProcessRecord: UInt16] = [:]
  private var comments: [[UInt8]: UInt16] = [:]
  private var commentOctets = 0
  /// What the numbers of the partial mean that is being read: another one has numbers of its own.
  var meaning = Meaning()

  /// The numbers here, by those of a partial.
  struct Meaning {
    fileprivate var processes: [UInt16: UInt16] = [:]
    fileprivate var comments: [UInt16: UInt16] = [:]
  }

  /// The number here of a process; 0 for none, and where there is no number left.
  func process(_ number: UInt16) -> UInt16 { meaning.processes[number] ?? 0 }
  /// The same of a comment.
  func comment(_ number: UInt16) -> UInt16 { meaning.comments[number] ?? 0 }

  /// Learns a process that has a number in the partial; returns it if it is new here.
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

  /// Learns a comment that has a number in the partial; returns it if it is new here.
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
