import HTTPReassembly
import TestSupport
import Testing

/// Every message of HTTP/2 in the corpus against frames and field blocks that code with nothing in common with this one read.
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct HTTP2ConformanceTests {
  @Test func messagesAreThoseOfTheOracle() throws {
    var compared = 0
    for row in try Corpus.oracle("h2-messages.csv") {
      let run = try #require(Corpus.runs[row["file"]])
      let isRequest = row["direction"] == "client"
      let found = run.messages.filter { found in
        found.message.stream == UInt64(row.integer("stream_id"))
          && found.message.connection == row.integer("tcp_stream") + 1
          && found.message.kind != .interim && found.isRequest == isRequest && !found.message.flags.contains(.pushed)
      }
      let what = "\(row["file"]), stream \(row["stream_id"]), \(row["direction"])"
      #expect(found.count == 1, "\(what)")
      guard let message = found.first?.message else { continue }
      compared += 1
      let blocks = row.integer("header_block_bytes") + row.integer("trailer_block_bytes")
      let frames = row.integer("header_frames") + row.integer("data_frames")
      var framing = frames * 9 + row.integer("header_frame_payload_bytes") - blocks
      framing += row.integer("data_frame_payload_bytes") - row.integer("data_bytes")
      var head = row.integer("header_block_bytes")
      if row["note"].hasPrefix("PUSH_PROMISE") {
        // The oracle counts the promise into the response before it; it is a request of its own.
        let pushed = try #require(run.messages.first { $0.message.flags.contains(.pushed) }).message
        head -= pushed.octets.startLine + pushed.octets.header
        framing -= pushed.octets.framing
      }
      #expect(message.octets.startLine + message.octets.header == head, "\(what)")
      #expect(message.octets.trailer == row.integer("trailer_block_bytes"), "\(what)")
      #expect(message.octets.body == row.integer("data_bytes"), "\(what)")
      #expect(message.octets.framing == framing, "\(what)")
      #expect("\(message.decodedBody ?? -1)" == row["decoded_body_bytes"], "\(what)")
      #expect(isRequest || "\(message.status)" == row["status"], "\(what)")
      #expect(message.exactness == .exact, "\(what)")
    }
    #expect(compared > 90)
  }
}
