import Shared

/// The page that is served at the moment, and how many look at it.
final class PageContent: Sendable {
  /// One page's data.
  struct Data {
    /// The data: one line of JSON. It is shared, not copied.
    var octets: [UInt8] = []
    /// Its number; 0 as long as there is none.
    var version = 0
    /// Whether it is the last one.
    var isLast = false
  }

  /// What stands before the data in the document.
  let head: [UInt8]
  /// What stands behind it.
  let tail: [UInt8]
  private let latest = Locked(Data())
  private let viewers = Locked(0)
  private let viewerLimit: Int

  init(document: (head: [UInt8], tail: [UInt8]), viewerLimit: Int) {
    head = document.head
    tail = document.tail
    self.viewerLimit = viewerLimit
  }

  /// The data now.
  var data: Data { latest.withLock { $0 } }

  /// How many viewers wait for newer pages.
  var viewerCount: Int { viewers.withLock { $0 } }

  /// Replaces the data.
  func publish(_ data: Data) { latest.withLock { $0 = data } }

  /// Takes a viewer. Returns whether there was a place for it.
  func addViewer() -> Bool {
    viewers.withLock { count in
      guard count < viewerLimit else { return false }
      count += 1
      return true
    }
  }

  /// Gives a viewer's place up.
  func removeViewer() { viewers.withLock { $0 -= 1 } }
}
