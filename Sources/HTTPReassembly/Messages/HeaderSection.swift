/// What is gathered from a message's header section while it is being read.
struct HeaderSection {
  var framing = FramingFields()
  var hostCount = 0
  /// Whether there is an Upgrade field with a protocol.
  var hasUpgrade = false
  /// Whether Connection names `upgrade`.
  var connectionUpgrades = false
  /// Non-ASCII octets have been noted.
  var notedNonASCII = false
}
