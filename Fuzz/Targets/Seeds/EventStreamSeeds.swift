extension Seeds {
  /// Events with each line end, comments, fields of other names, a byte order mark, and a last line without an end.
  mutating func addEventStreams() {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let streams = [
      "data: one\n\ndata: two\n\n", "data: one\r\n\r\ndata: two\r\rdata\n\n", ": comment\n\nevent: e\nid: 7\n\n",
      "data\n\ndatabase: 1\n\ndata:\r\n\n\r", "retry: 10\ndata: a\ndata: b\n\ndata: unfinished\n",
    ]
    for (index, stream) in streams.enumerated() {
      let octets = (index % 2 == 1 ? mark : []) + Array(stream.utf8)
      add([UInt8(index), 0, 7, 0, 12, 0, 1] + octets, to: .eventStream)
    }
  }
}
