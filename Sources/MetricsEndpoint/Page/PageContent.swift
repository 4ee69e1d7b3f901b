import NIOCore
import Shared

/// The page that is served at the moment, and who is told when there is a newer one.
final class PageContent: Sendable {
  /// One page's data.
  struct Data {
    /// The data: one line of JSON. It is shared, not copied.
    var octets = ByteBuffer()
    /// Its number; 0 as long as there is none.
    var version = 0
    /// Whether it is the last one.
    var isLast = false
  }

  /// What viewers are sent when there is a newer page.
  struct Newer: Sendable {}

  /// What stands before the data in the document.
  let head: ByteBuffer
  /// What stands behind it.
  let tail: ByteBuffer
  private let latest = Locked(Data())
  private let viewers = Locked<[ObjectIdentifier: any Channel]>([:])
  private let viewerLimit: Int

  init(document: (head: [UInt8], tail: [UInt8]), viewerLimit: Int) {
    head = ByteBuffer(bytes: document.head)
    tail = ByteBuffer(bytes: document.tail)
    self.viewerLimit = viewerLimit
  }

  /// The data now.
  var data: Data { latest.withLock { $0 } }

  /// How many viewers wait for newer pages.
  var viewerCount: Int { viewers.withLock { $0.count } }

  /// Replaces the data, and tells the viewers.
  func publish(_ data: Data) {
    latest.withLock { $0 = data }
    for channel in viewers.withLock({ Array($0.values) }) {
      channel.pipeline.fireUserInboundEventTriggered(Newer())
    }
  }

  /// Tells a connection of newer pages until it is closed. Returns whether there was a place for it.
  func add(_ channel: any Channel) -> Bool {
    let name = ObjectIdentifier(channel)
    let isAdded = viewers.withLock { viewers in
      guard viewers.count < viewerLimit else { return false }
      viewers[name] = channel
      return true
    }
    if isAdded { channel.closeFuture.whenComplete { [self] _ in viewers.withLock { $0[name] = nil } } }
    return isAdded
  }
}
