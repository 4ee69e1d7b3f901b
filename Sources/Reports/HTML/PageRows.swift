import HTTPReassembly

/// A host and a path, and what else tells rows of one table apart. Texts are ready to be shown.
struct ShownAPI: Hashable {
  var host: String
  var path: String
  /// The status code of a response; 0 when there was none.
  var status = 0
}

/// What is added up over messages under one name. Lengths are octets.
struct AddedFigures {
  /// Messages, exchanges or lines.
  var count = 0
  /// Octets in all: of content, of lines, or of everything on the wire, as the table says.
  var octets = 0
  /// Of these, how many are of the kind that the table is about.
  var partCount = 0
  /// Octets of those.
  var partOctets = 0
  /// Time that passed in all, in nanoseconds.
  var time: Int64 = 0

  mutating func add(
    count: Int = 1, _ octets: Int, partCount: Int = 0, partOctets: Int = 0, time: Int64 = 0
  ) {
    self.count += count
    self.octets += octets
    self.partCount += partCount
    self.partOctets += partOctets
    // A hostile capture may have many that take centuries each.
    let (sum, overflows) = self.time.addingReportingOverflow(time)
    self.time = overflows ? .max : sum
  }
}

/// What one content coding achieved. Lengths are octets of content.
struct CodingFigures {
  /// Messages with it.
  var messages = 0
  /// Their content as transferred.
  var octets = 0
  /// Those whose length without the codings is known.
  var decodedMessages = 0
  /// The content of those as transferred.
  var codedOctets = 0
  /// The content of those without the codings.
  var decodedOctets = 0

  mutating func add(octets: Int, decoded: Int?) {
    messages += 1
    self.octets += octets
    guard let decoded else { return }
    decodedMessages += 1
    codedOctets += octets
    decodedOctets += decoded
  }
}

/// What the connections of one client cost. Lengths are octets.
struct ClientFigures {
  var connections = 0
  var messages = 0
  var up = 0
  var down = 0
}

/// What it cost to open and to close the connections between one client and one server. Lengths are octets.
struct PairFigures {
  /// The host of the first one whose host is known.
  var host = ""
  var connections = 0
  /// Setup, handshake and teardown of all.
  var octets = 0
  /// The same of the one that cost the most: one connection there has to be.
  var largest = 0

  /// Octets of all connections but one.
  var beyondFirst: Int { octets - largest }

  mutating func add(_ octets: Int) {
    connections += 1
    self.octets += octets
    largest = max(largest, octets)
  }
}

/// A client and a server.
struct AddressPair: Hashable {
  var client: IPAddress
  var server: Endpoint
}
