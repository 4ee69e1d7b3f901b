import Capture

extension [CaptureEvent] {
  /// The names among the events.
  var names: [NameRecord] { compactMap { if case .name(let record) = $0 { record } else { nil } } }
  /// The secrets among the events.
  var secrets: [SecretsRecord] { compactMap { if case .secrets(let record) = $0 { record } else { nil } } }
  /// The interfaces among the events.
  var interfaces: [InterfaceRecord] { compactMap { if case .interface(let record) = $0 { record } else { nil } } }
  /// The processes among the events.
  var processes: [ProcessRecord] { compactMap { if case .process(let record) = $0 { record } else { nil } } }
  /// The comments among the events.
  var comments: [CommentRecord] { compactMap { if case .comment(let record) = $0 { record } else { nil } } }
  /// The last number of lost packets among the events.
  var drops: UInt64? { compactMap { if case .drops(let count) = $0 { count } else { nil } }.last }
  /// The last time among the events.
  var passedTime: Int64? { compactMap { if case .timePassed(let time) = $0 { time } else { nil } }.last }
}
