import HTTPReassembly

/// Passes the parts of messages on to each of several observers.
public final class MessageObservers: MessageObserver {
  private let observers: [any MessageObserver]

  /// One observer for all of them; nil for none.
  public static func all(_ observers: [any MessageObserver]) -> (any MessageObserver)? {
    observers.count > 1 ? MessageObservers(observers) : observers.first
  }

  private init(_ observers: [any MessageObserver]) { self.observers = observers }

  /// Octets of memory that all of them hold.
  public var memory: Int { observers.reduce(0) { $0 + $1.memory } }

  /// Passes a start-line on.
  public func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) {
    for observer in observers { observer.startLine(line, of: message, kind: kind) }
  }

  /// Passes a field line on.
  public func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {
    for observer in observers { observer.fieldLine(line, name: name, value: value, of: message) }
  }

  /// Passes content on.
  public func content(_ octets: RawSpan, of message: Int) {
    for observer in observers { observer.content(octets, of: message) }
  }

  /// Passes decoded content on.
  public func decodedContent(_ octets: RawSpan, of message: Int) {
    for observer in observers { observer.decodedContent(octets, of: message) }
  }

  /// Passes the end of a message on.
  public func end(of message: Int, decodedLength: Int?) {
    for observer in observers { observer.end(of: message, decodedLength: decodedLength) }
  }
}
