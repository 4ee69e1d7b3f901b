import NIOCore
import Shared

/// The page that is served at the moment: what the analysis hands over, and any number of requests read.
final class MetricsPage: Sendable {
  private let text = Locked(ByteBuffer())

  /// The page now. It is shared, not copied.
  var octets: ByteBuffer {
    get { text.withLock { $0 } }
    set { text.withLock { $0 = newValue } }
  }
}
