import Packets

/// One direction of a WebSocket (RFC 6455): the frames in the tunnel that a message opened (MEASURES §11). Lengths are octets.
public struct WebSocketFacts: Sendable, Equatable {
  /// Frames whose header was read.
  public var frames = 0
  /// Messages whose last frame was begun.
  public var messages = 0
  /// Messages of text.
  public var texts = 0
  /// Binary messages.
  public var binaries = 0
  /// Ping frames.
  public var pings = 0
  /// Pong frames.
  public var pongs = 0
  /// Octets of frame headers with masking keys, and of whole control frames (ping, pong, close).
  public var frameLength = 0
  /// The part of `frameLength` in ping and pong frames.
  public var keepaliveLength = 0
  /// Octets of payload of data frames, as sent.
  public var payloadLength = 0
  /// Octets of that payload after permessage-deflate (RFC 7692); nil if they are not known.
  public var decodedLength: Int? = 0
  /// The status code of the close frame (RFC 6455 §7.4), 0 to 65535; nil without one.
  public var closeCode: Int?
  /// Capture time of the first octets of a frame, in nanoseconds since the Unix epoch; 0 without any.
  public var firstTime: Int64 = 0
  /// Capture time of the latest octets of a frame.
  public var lastTime: Int64 = 0
  /// The frames over time, from `firstTime` on.
  public var density = FrameDensity()
  /// How reliable the counts are: `inferred` if octets were not seen or could not be told, `atLeast` if it ends within a frame.
  public var exactness = Exactness.exact

  /// No frames.
  public init() {}
}

extension WebSocketFacts {
  /// The facts as one text of a pool: numbers of eight octets, least significant first. -1 stands for nil.
  var text: [UInt8] {
    let numbers = [
      frames, messages, texts, binaries, pings, pongs, frameLength, keepaliveLength, payloadLength, decodedLength ?? -1,
      closeCode ?? -1, Int(firstTime), Int(lastTime), Int(exactness.rawValue),
    ]
    return (numbers + density.numbers).flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Reads a text; nil if it is not such a text.
  init?(text: RawSpan) {
    guard text.byteCount == (14 + FrameDensity.numberCount) * 8 else { return nil }
    func number(_ index: Int) -> Int { Int(truncatingIfNeeded: text.littleEndian64(within: 8 * index)) }
    func unlessNone(_ number: Int) -> Int? { number < 0 ? nil : number }
    guard (0..<9).allSatisfy({ number($0) >= 0 }), let code = UInt8(exactly: number(13)),
      let exactness = Exactness(rawValue: code), let density = FrameDensity({ number(14 + $0) })
    else { return nil }
    (frames, messages, texts, binaries) = (number(0), number(1), number(2), number(3))
    (pings, pongs, frameLength, keepaliveLength) = (number(4), number(5), number(6), number(7))
    (payloadLength, decodedLength, closeCode) = (number(8), unlessNone(number(9)), unlessNone(number(10)))
    (firstTime, lastTime) = (Int64(number(11)), Int64(number(12)))
    self.exactness = exactness
    self.density = density
  }
}

extension TextPool {
  /// The WebSocket of a handle (`Message.webSocket`); nil if the handle is none.
  public func webSocket(_ id: TextID) -> WebSocketFacts? {
    id == .none ? nil : withOctets(id) { WebSocketFacts(text: $0) }
  }
}
