import Shared

/// The current page, and the number of its viewers.
final class PageContent: Sendable {
  /// One page's data.
  struct Data {
    /// The data: one line of JSON. It is shared, not copied.
    var octets: [UInt8] = []
    /// Its number; 0 while there is no data.
    var version = 0
    /// Whether it is the last data.
    var isLast = false
  }

  /// The document before the data.
  let head: [UInt8]
  /// The document after the data.
  let tail: [UInt8]
  private let latest = Locked(Data())
  private let viewers = Locked(0)
  private let viewerLimit: Int

  init(document: (head: [UInt8], tail: [UInt8]), viewerLimit: Int) {
    head = document.head
    tail = document.tail
    self.viewerLimit = viewerLimit
  }

  /// The current data.
  var data: Data { latest.withLock { $0 } }

  /// The number of viewers that wait for updates.
  var viewerCount: Int { viewers.withLock { $0 } }

  /// Replaces the data.
  func publish(_ data: Data) { latest.withLock { $0 = data } }

  /// Adds a viewer. Returns whether there was a place.
  func addViewer() -> Bool {
    viewers.withLock { count in
      guard count < viewerLimit else { return false }
      count += 1
      return true
    }
  }

  /// Frees a viewer's place.
  func removeViewer() { viewers.withLock { $0 -= 1 } }
}
