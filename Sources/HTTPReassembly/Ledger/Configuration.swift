/// Every limit of the analysis, each with its reason. Lengths are octets, durations nanoseconds.
public struct Configuration: Sendable {
  /// What totals are grouped by.
  public struct Grouping: Sendable, Equatable {
    /// Whether the path is part of an API's name.
    public var path: Bool
    /// Whether the method is part of an API's name.
    public var method: Bool
    /// Whether the name of the process is part of an API's name.
    public var process: Bool

    /// Host and path, and method and process when asked for.
    public init(path: Bool = true, method: Bool = false, process: Bool = false) {
      self.path = path
      self.method = method
      self.process = process
    }
  }

  /// Tables beyond messages, exchanges, connections and APIs. Each costs something only where it is wanted.
  public struct Tables: OptionSet, Sendable {
    /// One bit a table.
    public let rawValue: UInt8
    /// Wraps a bit set.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the connections of each host cost.
    public static let hosts = Tables(rawValue: 1 << 0)
    /// Octets by class and direction over time.
    public static let timeline = Tables(rawValue: 1 << 1)
    /// What content codings and conditional requests save, by API.
    public static let contents = Tables(rawValue: 1 << 2)
    /// Octets of header fields, by API.
    public static let fields = Tables(rawValue: 1 << 3)
  }

  /// The tables that are wanted.
  public var tables: Tables = []
  /// The length of the timeline's intervals in nanoseconds, from 1 µs on; nil for about a hundredth of the capture.
  public var timelineInterval: Int64?
  /// Intervals of a timeline whose length nobody chose are multiples of this, in nanoseconds, a power of ten.
  public var timelineUnit: Int64 = 1000
  /// Whether totals are looked at while the run goes on (`Pipeline.totals`): memory is left for the copy of them that a look has.
  public var isLookedAt = false
  /// What traffic is grouped by, beside hosts and APIs.
  public var groupKey: GroupKey?
  /// What totals are grouped by, beside the host.
  public var grouping = Grouping()
  /// Whether path segments that look like identifiers are grouped under a template.
  public var templatePaths = false
  /// Values of a segment under the same parent that are told apart while `templatePaths` is set; further ones are `{…}`. 0 for all.
  public var segmentValueLimit = 200
  /// Patterns that paths are grouped under before that, as octets: `/users/{id}`, `/static/**`.
  public var pathPatterns: [[UInt8]] = []
  /// Whether content codings are taken off to learn the decoded length.
  public var decodesContent = true
  /// Whether segments with a wrong TCP checksum are left out. Off, because a sender's own capture has unfinished
  /// checksums when the network card computes them.
  public var verifiesChecksums = false

  // Link and internet

  /// Tunnels opened inside one another. Real paths nest two or three; each level costs another pass over headers.
  public var tunnelDepthLimit = 8
  /// IPv6 extension headers in one packet; RFC 8504 §5.3 lets receivers limit them, and 8 is its example.
  public var extensionHeaderLimit = 8
  /// Datagrams being reassembled at once.
  public var fragmentedDatagramLimit = 1024
  /// Octets held for datagrams being reassembled, together: Linux's default (`ipfrag_high_thresh`).
  public var fragmentOctetLimit = 4 << 20
  /// Packet time after which an incomplete datagram is given up: Linux's default; RFC 8200 §4.5 says 60 s.
  public var fragmentTimeout: Int64 = 30_000_000_000
  /// Fragments of one datagram: 64 KiB in pieces of 8 octets would be 8,192; real paths make tens.
  public var fragmentsPerDatagramLimit = 1024

  // Transport

  /// Connections in the table at once; beyond it the one idle longest is evicted.
  public var connectionLimit = 1 << 19
  /// Messages that are not final, all connections together: each takes some 400 octets. Beyond it the ended ones of the
  /// connections seen least recently become final, and charges that come later are their connections' own.
  public var openMessageLimit = 1 << 16
  /// Octets of memory that all connections take together, what they hold and keep included; beyond it the one idle longest
  /// is evicted. `memoryLimit` can leave them less.
  public var connectionOctetLimit = 136 << 20
  /// Packet time without a segment after which an open connection is finished as `idle`. Middleboxes must keep
  /// an established connection for 2 h 4 min (RFC 5382 §5), but apps and phones give up far sooner.
  public var idleTimeout: Int64 = 600_000_000_000
  /// Packet time for which a closed connection still takes late retransmissions: 30 s is Linux' half of TIME-WAIT.
  public var closedTimeout: Int64 = 30_000_000_000
  /// Packet time without a segment after which a SYN ends an open connection at once: what was not answered for longer
  /// than a sender's patience (RFC 9293 §3.8.3 suggests some minutes, apps have less) is over.
  public var reopenSilence: Int64 = 30_000_000_000
  /// Packet time for which a hole that the peer has acknowledged is held open for a copy captured late.
  public var acknowledgedHoleTimeout: Int64 = 1_000_000_000
  /// Packets of the connection for which such a hole is held open: a capture gives packets in another order by some tens
  /// of them at most, and a fast connection sends thousands in a second.
  public var acknowledgedHolePacketLimit = 64
  /// Packet time for which what follows a request for CONNECT or Upgrade waits for the answer: a proxy may take as long
  /// as connecting does, which is some two minutes at most (Linux' `tcp_syn_retries`).
  public var switchAnswerTimeout: Int64 = 130_000_000_000
  /// Packet time for which a hole that nobody acknowledged is held open: a sender retransmits for longer than
  /// this only with gaps in between that idle connections have too.
  public var holeTimeout: Int64 = 60_000_000_000
  /// Packet time for which a connection whose SYN was not seen waits for segments captured out of order.
  public var midstreamStartTimeout: Int64 = 50_000_000
  /// Octets held behind a hole in one direction: a receive window of 4 MiB is the largest default in use.
  public var heldOctetLimit = 4 << 20
  /// Segments held behind a hole in one direction.
  public var heldSegmentLimit = 8192
  /// Octets of memory held behind holes, all connections together, with some 150 for each segment.
  public var heldOctetTotalLimit = 64 << 20
  /// Octets of payload remembered, all connections together, to compare retransmissions with.
  public var payloadHistoryLength = 4 << 20

  // QUIC

  /// Connections of QUIC in the table at once, with some 700 octets each; beyond it the one opened first is finished as `evicted`.
  public var quicConnectionLimit = 1 << 14
  /// Connections of QUIC of which further Initial packets are opened: the keys of both sides take some 3,500 octets. A
  /// handshake has its last Initial packet within a second.
  public var quicOpeningLimit = 1 << 12
  /// Octets of the handshake of one side that are put together: a hello with post-quantum key shares has some 2,000.
  public var quicHandshakeLimit = 16 << 10
  /// The same, all connections together: beyond it those opened first are opened no further.
  public var quicHandshakeTotalLimit = 8 << 20

  // TLS

  /// Octets of memory that secrets of key logs take: a million lines, which have some 90 MiB.
  public var secretOctetLimit = 96 << 20
  /// Records of one direction of an opened connection whose place in the stream is remembered, for segments sent again and
  /// acknowledgments: as much as a window of 2 MiB holds of full records.
  public var rememberedRecordLimit = 128
  /// Sequence numbers that are tried for a record before which others may have been lost.
  public var recordSearchLimit = 16
  /// Packet time for which records wait for secrets that may still come: programs write them with the handshake, and some hold a few lines
  /// back.
  public var secretPatience: Int64 = 10_000_000_000
  /// Octets of one direction that wait for secrets: some seconds of what an app sends, but for large downloads.
  public var secretHeldOctetLimit = 1 << 20
  /// Octets of memory held behind holes and for secrets, all connections together, beyond which nothing waits for secrets: what waits
  /// behind holes has the rest of `heldOctetTotalLimit`.
  public var secretHeldOctetTotalLimit = 32 << 20
  /// Sessions of TLS inside one another, by tunnels of CONNECT or Upgrade. A proxy that is reached by TLS makes two; each level costs
  /// another pass over the octets, and another stretch of stack.
  public var nestedTLSLimit = 4

  // HTTP

  /// Octets of one line that are kept to be understood; what follows is counted but not looked at.
  public var lineLimit = 64 << 10
  /// Requests on one connection that wait for their response.
  public var outstandingRequestLimit = 1 << 17
  /// Requests that wait for their response, all connections together: each takes some 370 octets. Beyond it the oldest of
  /// the connection that sends one more stops waiting.
  public var outstandingRequestTotalLimit = 1 << 18
  /// Messages of one direction that still take charges (retransmissions) after they ended.
  public var lingeringMessageLimit = 32
  /// Ended messages that still take charges, all connections together: each takes some 700 octets. Beyond it each direction
  /// keeps its newest one only.
  public var lingeringMessageTotalLimit = 1 << 16
  /// Packets of one direction whose message is not known yet, because a line is incomplete or held back: beyond it they
  /// are charged to the connection.
  public var pendingChargeLimit = 1024
  /// Octets of the first line of a stream that are looked at to tell whether it is HTTP.
  public var probeLimit = 8 << 10

  // HTTP/2

  /// Octets of one field block that are kept to be read; what follows is counted but not looked at. Servers refuse blocks of
  /// more than 8 to 64 KiB.
  public var fieldBlockLimit = 256 << 10
  /// Octets of field lines of one field block that are shown to an observer: an octet can stand for a field of kilobytes.
  public var expandedFieldLimit = 256 << 10
  /// Octets of each direction's dynamic table that are kept, and 32 times as many as entries: the largest in use (browsers allow
  /// 64 KiB). Older entries are not known then.
  public var dynamicTableLimit = 64 << 10
  /// Streams of one connection at once: servers allow 100 to 250. Beyond it one is given up.
  public var streamLimit = 4096
  /// Stretches of octets of one direction whose messages are remembered: charges that come for older ones are the connection's.
  public var frameOwnerLimit = 1024
  /// SETTINGS frames that wait to be acknowledged; beyond it the oldest counts as acknowledged. Peers send one or two.
  public var pendingSettingsLimit = 32
  /// PING frames without an answer that are no flood yet.
  public var unansweredPingLimit = 100
  /// Frames in a row without content that are no flood yet.
  public var emptyFrameLimit = 100
  /// Streams of one connection that are reset before anything of a response came, and are no flood yet: servers close connections
  /// at some 100 to 1,000.
  public var unansweredResetLimit = 100
  /// CONTINUATION frames of one field block that are no flood yet: 64 KiB have four.
  public var continuationLimit = 16

  // Content

  /// Octets that the content of one message may decode to before decoding stops. Decoding so much takes half a second.
  public var decodedContentLimit = 256 << 20
  /// Octets that the codings of one message may make, all together, for each coded octet: what DEFLATE reaches at most (258
  /// octets for two bits, RFC 1951 §3.2.5). Brotli and Zstandard have no such bound, and codings on top of one another
  /// multiply theirs. It goes by whole KiB of coded octets, of which the first is there at once: 1 MiB is always decoded.
  public var decodedRatioLimit = 1032
  /// Octets that may come out of what one packet brought or completed, beside `decodedAtOnceRatio`, and as many of contents
  /// that are decoded as a whole: 80 ms of decoding each. Other packets, the clock and signals wait as long. It is more than 32 KiB
  /// of gzip can make, which are held until a content is known to be long.
  public var decodedAtOnceLimit = 36 << 20
  /// Octets that may come out in addition for each coded octet that one packet brought or completed. Texts make 3 to 12.
  public var decodedAtOnceRatio = 16
  /// Content codings applied to one message.
  public var contentCodingLimit = 4

  // All tables

  /// Octets of memory that connections, with the decoders of their contents, APIs and names take together, as it is estimated; connections
  /// give way to the others, down to a third of `connectionOctetLimit`. It leaves the program and its reports the rest of 256 MiB.
  public var memoryLimit = 144 << 20
  /// Octets of memory that the tables which reports are made of take together, as it is estimated: of APIs, hosts, contents, fields, groups
  /// and intervals. Beyond it none gets a further row, as beyond its own limit: each limit alone fits in.
  public var tableMemoryLimit = 80 << 20

  // Names and totals

  /// Names learnt for addresses; beyond it the oldest is forgotten.
  public var nameLimit = 65_536
  /// APIs with totals of their own; beyond it messages are counted under an API without a path. Each takes about 1 KiB
  /// while reports are made: 128 MiB.
  public var apiLimit = 1 << 17
  /// Octets of the names of all APIs together, hosts counted for each; beyond it messages are counted under an API without
  /// a path, too. A hostile path has up to `lineLimit` octets, usual names have some tens.
  public var apiTextLimit = 32 << 20
  /// Hosts with totals of their own; beyond it connections and messages are counted under a row without a host. Each takes some
  /// 600 octets: 38 MiB.
  public var hostLimit = 1 << 16
  /// Octets of the names of all hosts together; beyond it the same. A hostile name has up to `lineLimit` octets, usual names some
  /// tens.
  public var hostTextLimit = 8 << 20
  /// Intervals of the timeline that have octets; beyond it intervals become longer. Each takes 528 octets: 5 MiB. So many
  /// that a hundredth of a capture is a hundred of them.
  public var timelineLimit = 10_000
  /// Groups of `groupKey`; beyond it further ones are one without a name. Each takes some 300 octets: 20 MiB.
  public var groupLimit = 1 << 16
  /// Contents that are known again, and targets whose content's length is known; beyond it further ones are not. Each takes some 40
  /// octets: 10 MiB.
  public var knownContentLimit = 1 << 18
  /// Directions of APIs whose contents have totals of their own; beyond it further ones are counted for no API. Each takes some 260 octets
  /// while reports are made: 8 MiB.
  public var contentLimit = 1 << 15
  /// Fields of all APIs together with totals of their own; beyond it further ones have no name, and those of further APIs are counted for no
  /// API. Each takes some 150 octets while reports are made: 19 MiB.
  public var fieldLimit = 1 << 17
  /// Field lines of open connections that are remembered, to tell which are repeated: each takes 24 octets. Beyond it further ones
  /// do not count as repeated.
  public var rememberedFieldLimit = 1 << 18
  /// Octets of memory for the times of all APIs together; beyond it percentiles of APIs with many exchanges are known half as well,
  /// as often as need be: within 1/128 at first, within 1/2 at last.
  public var latencyOctetLimit = 32 << 20

  /// The defaults.
  public init() {}
}
