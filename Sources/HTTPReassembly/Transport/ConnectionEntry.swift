/// What `ConnectionTable` has of each connection, whole or at rest.
struct ConnectionEntry {
  let key: ConnectionKey
  let hash: UInt32
  /// The entries before and after it in its list; -1 at the ends.
  var previous: Int32 = -1
  var next: Int32 = -1
  /// Number among the whole connections; -1 when it is at rest.
  var whole: Int32
  /// Which list it is in.
  var isClosed = false
  /// Whether it is among the last of its list, which are whole.
  var isRecent = true
  var rest: ConnectionAtRest?

  init(key: ConnectionKey, hash: UInt32, whole: Int) {
    self.key = key
    self.hash = hash
    self.whole = Int32(whole)
  }
}
