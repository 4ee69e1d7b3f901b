/// The result of a run for scripts.
enum ExitStatus: Int32 {
  /// No fault.
  case success = 0
  /// The input was damaged, or something could not be opened or written.
  case failure = 1
  /// A tolerance or budget was exceeded, or the ledger does not balance.
  case exceeded = 2
  /// SIGINT ended the reading; the part that was read is reported. As in shells: 128 and the signal's number.
  case interrupted = 130
  /// SIGTERM ended the reading; the part that was read is reported.
  case terminated = 143
}
