/// Which process a packet is said to belong to, and which end of it that is.
struct ProcessMention {
  /// The text of the process, which its table holds on to; `TextID.none` when the capture does not say.
  var process = TextID.none
  /// Which end of the packet it is.
  var party = TappedProcess.Party.unknown
}
