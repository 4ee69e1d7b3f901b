import Capture
import HTTPReassembly

/// A packet as a reader lent it.
struct ReadPacket: Equatable {
  var timestamp: Int64
  var originalLength: Int
  var linkType: LinkType = .ethernet
  var frameCheckSequenceLength = 0
  var octets: [UInt8]
}

/// Everything that a reader gives.
struct Reading {
  var packets: [ReadPacket] = []
  var events: [CaptureEvent] = []
  /// The packets' origins.
  var origins: [PacketOrigin] = []
  /// The names among the events.
  var names: [NameRecord] { events.names }
  var dropped: UInt64?
  var format = ""
  var octetsRead = 0
  var size: Int?
  var error: CaptureError?

  /// Reads a file to its end, or to its first fault.
  init(path: String, filter: PacketFilter? = nil, bufferCapacity: Int = 1 << 20) {
    do throws(CaptureError) {
      var reader = try CaptureReader(path: path, filter: filter, bufferCapacity: bufferCapacity)
      format = reader.formatDescription
      size = reader.size
      do throws(CaptureError) {
        while try reader.advance() {
          reader.withPacket {
            packets.append(ReadPacket($0, $1))
            origins.append($0.origin)
          }
          events += reader.takeEvents()
        }
      } catch let error {
        self.error = error
        // What was lent before is not lent again.
        reader.withPacket { precondition($1.byteCount == 0) }
      }
      events += reader.takeEvents()
      dropped = reader.dropped
      octetsRead = reader.octetsRead
    } catch let error {
      self.error = error
    }
  }

  /// Reads octets as a file.
  init(_ octets: [UInt8], filter: PacketFilter? = nil, bufferCapacity: Int = 1 << 20) throws {
    let file = try TemporaryFile(octets)
    self.init(path: file.path, filter: filter, bufferCapacity: bufferCapacity)
  }
}

extension ReadPacket {
  init(_ packet: Packet, _ octets: RawSpan) {
    var copy: [UInt8] = []
    octets.append(0..<octets.byteCount, to: &copy)
    self.init(
      timestamp: packet.timestamp, originalLength: packet.originalLength, linkType: packet.linkType,
      frameCheckSequenceLength: packet.frameCheckSequenceLength, octets: copy)
  }
}
