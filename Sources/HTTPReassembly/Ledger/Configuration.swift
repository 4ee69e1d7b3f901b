/// Every limit of the analysis, each with its reason. Lengths are in octets, durations in nanoseconds.
public struct Configuration: Sendable {
  /// How totals are grouped.
  public struct Grouping: Sendable, Equatable {
    /// Whether the path is part of an API's name.
    public var path: Bool
    /// Whether the method is part of an API's name.
    public var method: Bool
    /// Whether the name of the process is part of an API's name.
    public var process: Bool

    /// Groups by host and path; by method and process too, if asked for.
    public init(path: Bool = true, method: Bool = false, process: Bool = false) {
      self.path = path
      self.method = method
      self.process = process
    }
  }

  /// Tables beyond messages, exchanges, connections and APIs. A table costs something only if it is wanted.
  public struct Tables: OptionSet, Sendable {
    /// One bit for each table.
    public let rawValue: UInt8
    /// Wraps a bit set.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The cost of the connections of each host.
    public static let hosts = Tables(rawValue: 1 << 0)
    /// Octets by class and direction over time.
    public static let timeline = Tables(rawValue: 1 << 1)
    /// Savings by content codings and conditional requests, by API.
    public static let contents = Tables(rawValue: 1 << 2)
    /// Octets of header fields, by API.
    public static let fields = Tables(rawValue: 1 << 3)
    /// Each message of gRPC calls.
    public static let grpc = Tables(rawValue: 1 << 4)
  }

  /// The tables that are wanted.
  public var tables: Tables = []
  /// The length of the timeline's intervals in nanoseconds, from 1 µs on; nil for about a hundredth of the capture.
  public var timelineInterval: Int64?
  /// Marks in time, which cut the timeline into steps; in any order, at most `TimeMark.limit`. They need the timeline's table.
  public var marks: [TimeMark] = []
  /// The unit of an interval's length when the user did not choose one, in nanoseconds: a power of ten.
  public var timelineUnit: Int64 = 1000
  /// Whether totals are read during the run (`Pipeline.totals`). If so, memory is kept free for the copy that a reader gets.
  public var isLookedAt = false
  /// The key that traffic is grouped by, beside hosts and APIs.
  public var groupKey: GroupKey?
  /// How totals are grouped, beside the host.
  public var grouping = Grouping()
  /// Whether path segments that look like identifiers are grouped under a template.
  public var templatePaths = false
  /// Values of a segment told apart under the same parent while `templatePaths` is set; further values are `{…}`. 0 means all.
  public var segmentValueLimit = 200
  /// Patterns that paths are grouped under before templates apply, as octets: `/users/{id}`, `/static/**`.
  public var pathPatterns: [[UInt8]] = []
  /// Whether content codings are removed to learn the decoded length.
  public var decodesContent = true
  /// Whether segments with a wrong TCP checksum are left out. Off by default: a sender's own capture has unfinished checksums if the
  /// network card computes them.
  public var verifiesChecksums = false

  // Link and internet

  /// Tunnels opened inside one another. Real paths nest two or three; each level costs another pass over headers.
  public var tunnelDepthLimit = 8
  /// IPv6 extension headers in one packet. RFC 8504 §5.3 lets receivers limit them, and 8 is its example.
  public var extensionHeaderLimit = 8
  /// Datagrams being reassembled at once.
  public var fragmentedDatagramLimit = 1024
  /// Octets held for all datagrams being reassembled: Linux's default (`ipfrag_high_thresh`).
  public var fragmentOctetLimit = 4 << 20
  /// Packet time after which an incomplete datagram is given up: Linux's default. RFC 8200 §4.5 says 60 s.
  public var fragmentTimeout: Int64 = 30_000_000_000
  /// Fragments of one datagram. 64 KiB in pieces of 8 octets would be 8,192; real paths make tens.
  public var fragmentsPerDatagramLimit = 1024

  // Transport

  /// Connections in the table at once. Beyond it, the connection idle longest is evicted.
  public var connectionLimit = 1 << 19
  /// Messages that are not final, all connections together; each takes some 400 octets. Beyond it, ended messages become final, those of
  /// the connections seen least recently first. Later charges then go to their connections.
  public var openMessageLimit = 1 << 16
  /// Octets of memory that all connections take together, including held and kept octets. Beyond it, the connection idle longest is
  /// evicted. `memoryLimit` can leave them less.
  public var connectionOctetLimit = 131 << 20
  /// Packet time without a segment after which an open connection is finished as `idle`. Middleboxes must keep an established connection
  /// for 2 h 4 min (RFC 5382 §5), but apps and phones give up far sooner.
  public var idleTimeout: Int64 = 600_000_000_000
  /// Packet time for which a closed connection still takes late retransmissions: 30 s is half of Linux's TIME-WAIT.
  public var closedTimeout: Int64 = 30_000_000_000
  /// Packet time without a segment after which a SYN ends an open connection at once. A sender gives up after such a silence: RFC 9293
  /// §3.8.3 suggests some minutes, and apps wait less.
  public var reopenSilence: Int64 = 30_000_000_000
  /// Packet time for which a gap that the peer has acknowledged stays open for a copy captured late.
  public var acknowledgedHoleTimeout: Int64 = 1_000_000_000
  /// Packets of the connection for which such a gap stays open, from the first segment behind it on. A capture reorders packets by some
  /// tens at most, and a fast connection sends thousands in a second.
  public var acknowledgedHolePacketLimit = 64
  /// Packet time for which the octets after a CONNECT or Upgrade request wait for the response. A proxy may take as long as connecting
  /// does: some two minutes at most (Linux's `tcp_syn_retries`).
  public var switchAnswerTimeout: Int64 = 130_000_000_000
  /// Packet time for which an unacknowledged gap stays open. A sender retransmits for longer only with pauses that idle connections have
  /// too.
  public var holeTimeout: Int64 = 60_000_000_000
  /// Packet time for which a connection whose SYN was not seen waits for segments captured out of order.
  public var midstreamStartTimeout: Int64 = 50_000_000
  /// Octets held behind a gap in one direction: a receive window of 4 MiB is the largest default in use.
  public var heldOctetLimit = 4 << 20
  /// Segments held behind a gap in one direction.
  public var heldSegmentLimit = 8192
  /// Octets of memory held behind gaps, all connections together, with some 150 for each segment.
  public var heldOctetTotalLimit = 64 << 20
  /// Octets of payload remembered to compare retransmissions with, all connections together.
  public var payloadHistoryLength = 4 << 20

  // QUIC

  /// QUIC connections in the table at once, with some 700 octets each. Beyond it, the connection opened first is finished as `evicted`.
  public var quicConnectionLimit = 1 << 14
  /// QUIC connections whose packets are opened: the keys of both sides take some 12,000 octets. Beyond it, those opened first stay closed
  /// from then on, unless their streams are read.
  public var quicOpeningLimit = 1 << 12
  /// Octets of one side's hello that are put together: one with post-quantum key shares has some 2,000.
  public var quicHandshakeLimit = 16 << 10
  /// Octets of memory for keys and handshakes of all QUIC connections. Beyond it, the connections opened first are opened no further,
  /// unless their streams are read.
  public var quicOpeningOctetLimit = 64 << 20
  /// Streams of one QUIC connection that are remembered. Beyond it, the one that closed first is forgotten, else the oldest is given up.
  public var quicStreamLimit = 1 << 10

  // TLS

  /// Octets of memory for the secrets of key logs: a million lines take some 90 MiB.
  public var secretOctetLimit = 96 << 20
  /// Records of one direction of an opened connection whose places in the stream are remembered, for retransmissions and acknowledgments.
  /// It is as many full records as a window of 2 MiB holds.
  public var rememberedRecordLimit = 128
  /// Sequence numbers that are tried for a record if records before it may be lost. Behind a gap, more are tried as far as they are paid for.
  public var recordSearchLimit = 16
  /// Packet time for which records wait for secrets that may still come. Programs write secrets with the handshake, and some hold a few
  /// lines back. Opened data wait as long for the place of lost records that they acknowledge.
  public var secretPatience: Int64 = 10_000_000_000
  /// Octets of one direction that wait for secrets, or for such a place: some seconds of what an app sends, large downloads excepted.
  public var secretHeldOctetLimit = 1 << 20
  /// Octets of memory held behind gaps and for secrets, all connections together. Beyond it, nothing waits for secrets: octets behind gaps
  /// have the rest of `heldOctetTotalLimit`.
  public var secretHeldOctetTotalLimit = 32 << 20
  /// TLS sessions inside one another, by tunnels of CONNECT or Upgrade. A proxy that is reached by TLS makes two. Each level costs another
  /// pass over the octets and more stack.
  public var nestedTLSLimit = 4

  // HTTP

  /// Octets of one line that are kept and read; the rest is counted only.
  public var lineLimit = 64 << 10
  /// Requests on one connection that wait for their response.
  public var outstandingRequestLimit = 1 << 17
  /// Requests that wait for their response, all connections together; each takes some 370 octets. Beyond it, a connection that sends one
  /// more gives up its oldest.
  public var outstandingRequestTotalLimit = 1 << 18
  /// Ended messages of one direction that still take charges (retransmissions).
  public var lingeringMessageLimit = 32
  /// Ended messages that still take charges, all connections together; each takes some 700 octets. Beyond it, each direction keeps only its
  /// newest one.
  public var lingeringMessageTotalLimit = 1 << 16
  /// Packets of one direction whose message is not known yet, because a line is incomplete or held back. Beyond it, they are charged to the
  /// connection.
  public var pendingChargeLimit = 1024
  /// Octets of a stream's first line that are examined to tell whether it is HTTP.
  public var probeLimit = 8 << 10

  // HTTP/2

  /// Octets of one field block that are kept and read; the rest is counted only. Servers refuse blocks of more than 8 to 64 KiB.
  public var fieldBlockLimit = 256 << 10
  /// Octets of one field block's field lines that an observer sees: one octet can stand for a field of kilobytes.
  public var expandedFieldLimit = 256 << 10
  /// Octets of each direction's dynamic table that are kept, with one entry for each 32 of them at most. It is the largest size in use
  /// (browsers allow 64 KiB). Older entries are then unknown.
  public var dynamicTableLimit = 64 << 10
  /// Streams of one connection at once: servers allow 100 to 250. Beyond it, one is given up.
  public var streamLimit = 4096
  /// Stretches of octets of one direction whose messages are remembered. Charges for older stretches go to the connection.
  public var frameOwnerLimit = 1024
  /// Tunnels in streams of one connection that are read at once; octets of further ones are `tunnel`. Browsers keep six connections to a
  /// host.
  public var tunnelLimit = 256
  /// SETTINGS frames that wait to be acknowledged. Beyond it, the oldest counts as acknowledged. Peers send one or two.
  public var pendingSettingsLimit = 32
  /// PING frames without an answer; more are a flood.
  public var unansweredPingLimit = 100
  /// Frames in a row without content; more are a flood.
  public var emptyFrameLimit = 100
  /// Streams of one connection reset before any octet of a response came; more are a flood. Servers close connections at some 100 to 1,000.
  public var unansweredResetLimit = 100
  /// CONTINUATION frames of one field block; more are a flood. A block of 64 KiB has four.
  public var continuationLimit = 16

  // HTTP/3

  /// Octets of one connection's streams that wait for fields of the dynamic table, which come on another stream. Beyond it, the sections are
  /// read with those fields unknown. Clients allow 16 to 100 such streams.
  public var blockedOctetLimit = 1 << 20
  /// Streams of one connection that wait so.
  public var blockedStreamLimit = 128
  /// Streams besides requests whose octets are read, of each side; octets of further ones are `control`. Peers open three.
  public var unidirectionalStreamLimit = 256
  /// Stretches of octets of one stream's side whose messages are remembered. A stream has few: interim and final messages, and unknown frames.
  public var streamOwnerLimit = 256

  // Content

  /// Octets that the content of one message may decode to; decoding then stops. Decoding this much takes half a second.
  public var decodedContentLimit = 256 << 20
  /// Octets that the codings of one message may make in total for each coded octet. DEFLATE reaches at most this (258 octets for two bits,
  /// RFC 1951 §3.2.5). Brotli and Zstandard have no such bound, and codings on top of one another multiply theirs. It is counted by whole
  /// KiB of coded octets, the first KiB in advance: 1 MiB is always decoded.
  public var decodedRatioLimit = 1032
  /// Octets that may be decoded from one packet, beside `decodedAtOnceRatio`: those that it brought and those that it completed. Contents
  /// that are decoded as a whole may make as many again. Each takes 80 ms of decoding, and other packets, the clock and signals wait as
  /// long. It is more than 32 KiB of gzip can make; contents that may be short are held up to that length.
  public var decodedAtOnceLimit = 36 << 20
  /// Octets that may be decoded in addition for each coded octet that one packet brought or completed. Texts make 3 to 12.
  public var decodedAtOnceRatio = 16
  /// Octets that may be decoded from all packets, beside `decodedTotalRatio`, as they come: two seconds of decoding. A `br` content of 20
  /// octets makes up to 16 MiB, which is its window, before anything can be counted.
  public var decodedTotalLimit = 1 << 30
  /// Octets that each coded octet adds to what is left of `decodedTotalLimit`, up to that. Texts make 3 to 12.
  public var decodedTotalRatio = 128
  /// Content codings applied to one message.
  public var contentCodingLimit = 4
  /// Messages of gRPC calls that wait for a row of their own until their call ends, all calls together. Beyond it, they are counted and have
  /// no row. Each takes up to 56 octets: 7 MiB.
  public var grpcMessageLimit = 1 << 17

  // All tables

  /// Octets of memory that connections with their decoders, APIs and names take together, estimated. Connections give way to the others,
  /// down to a quarter of `connectionOctetLimit`. The program and its reports have the rest of 256 MiB.
  public var memoryLimit = 134 << 20
  /// Octets of memory of all tables that reports are made from, estimated: APIs, hosts, contents, fields, groups and intervals. Beyond it,
  /// no table gets a further row, as beyond its own limit.
  public var tableMemoryLimit = 64 << 20

  // Names and totals

  /// Names learned for addresses. Beyond it, the oldest is forgotten.
  public var nameLimit = 65_536
  /// APIs with totals of their own. Beyond it, messages are counted under an API without a path. Each takes about 1 KiB while reports are
  /// made: 128 MiB.
  public var apiLimit = 1 << 17
  /// Octets of the names of all APIs together, the host counted for each API. Beyond it too, messages are counted under an API without a
  /// path. A hostile path has up to `lineLimit` octets, usual names have some tens.
  public var apiTextLimit = 32 << 20
  /// Hosts with totals of their own. Beyond it, connections and messages are counted under a row without a host. Each takes some 600
  /// octets: 38 MiB.
  public var hostLimit = 1 << 16
  /// Octets of the names of all hosts together; beyond it, as beyond `hostLimit`. A hostile name has up to `lineLimit` octets, usual names
  /// some tens.
  public var hostTextLimit = 8 << 20
  /// Intervals of the timeline that have octets. Beyond it, intervals become longer. Each takes 528 octets: 5 MiB. The number is large
  /// enough for a hundredth of a capture to have a hundred of them.
  public var timelineLimit = 10_000
  /// Groups of `groupKey`. Beyond it, all further groups are one without a name. Each takes some 300 octets: 20 MiB.
  public var groupLimit = 1 << 16
  /// Contents that are recognized when they come again, and targets whose content's length is known. Beyond it, further ones are not. Each
  /// takes some 52 octets: 13 MiB.
  public var knownContentLimit = 1 << 18
  /// Directions of APIs whose contents have totals of their own. Beyond it, further ones are counted for no API. Each takes some 260 octets
  /// while reports are made: 8 MiB.
  public var contentLimit = 1 << 15
  /// Fields of all APIs together with totals of their own. Beyond it, further fields have no name, and fields of further APIs are counted
  /// for no API. Each takes some 150 octets while reports are made: 19 MiB.
  public var fieldLimit = 1 << 17
  /// Field lines of open connections that are remembered, to tell which are repeated; each takes 24 octets. Beyond it, further lines do not
  /// count as repeated.
  public var rememberedFieldLimit = 1 << 18
  /// Octets of memory for the times of all APIs together. Beyond it, the precision of percentiles of APIs with many exchanges is halved as
  /// often as needed: within 1/128 at first, within 1/2 at last.
  public var latencyOctetLimit = 32 << 20

  /// The defaults.
  public init() {}
}
