import Packets

/// The processes, apps and comments that packets name by number, as the capture described them.
///
/// The table retains the text of each known process, so a packet finds its process without allocation.
struct ProcessTable {
  /// The contents of a process block.
  private struct Known {
    var identifier: UInt32
    var name: [UInt8]
  }

  /// The meaning of a comment.
  private enum CommentedProcess {
    case nothing
    case process(TextID)
    case sender(TextID)
    case androidUser(Int32)
  }

  /// Processes by the number of the origin, from 1.
  private var processes: [UInt16: Known] = [:]
  private var comments: [UInt16: CommentedProcess] = [:]
  /// Texts of apps by user identifier.
  private var apps: [Int32: TextID] = [:]
  /// Texts of a process together with the one that it acts for, by both numbers.
  private var pairs: [UInt32: TextID] = [:]
  /// The process of the last packet with a pseudo-header or trailer: packets of one process come in rows.
  private var tapped: (process: ProcessIdentity, text: TextID)?

  /// The number of apps, and of pairs of processes, that are retained. A device has some hundred apps, and few processes act for others.
  /// Beyond it, later ones are not named.
  static let limit = 1 << 13

  /// Octets of memory that the table takes, without the texts.
  var memory: Int {
    processes.count * 96 + comments.capacity * 32 + (apps.capacity + pairs.capacity) * 24
  }

  // MARK: Descriptions of captures

  /// Learns the process with a number.
  mutating func learn(process number: UInt16, identifier: UInt32, name: [UInt8]) {
    guard number > 0 else { return }
    processes[number] = Known(identifier: identifier, name: Array(name.prefix(ProcessIdentity.nameLimit)))
  }

  /// Learns the app of a user identifier.
  mutating func learn(androidUser user: Int32, package: [UInt8], app: [UInt8], _ texts: inout TextPool) {
    guard apps[user] != nil || apps.count < Self.limit, user >= 0, !(package.isEmpty && app.isEmpty) else { return }
    let process = ProcessIdentity(
      source: .pcapdroid, identifier: nil, name: package.isEmpty ? app : package, app: app)
    let text = texts.intern(process)
    if let before = apps.updateValue(text, forKey: user) { texts.release(before) }
  }

  /// Learns the comment with a number.
  mutating func learn(comment number: UInt16, _ octets: [UInt8], _ texts: inout TextPool) {
    guard number > 0, comments[number] == nil else { return }
    switch ProcessComment(octets) {
    case .nothing: break
    case .process(let process): comments[number] = .process(texts.intern(process))
    case .sender(let process): comments[number] = .sender(texts.intern(process))
    case .androidUser(let user): comments[number] = .androidUser(user)
    }
  }

  // MARK: Processes of packets

  /// The process that a packet's origin names.
  mutating func mention(of origin: PacketOrigin, _ texts: inout TextPool) -> ProcessMention {
    var mention = ProcessMention()
    if origin.flags.contains(.inbound) { mention.party = .receiver }
    if origin.flags.contains(.outbound) { mention.party = .sender }
    if origin.process > 0 || origin.effectiveProcess > 0 {
      mention.process = text(of: origin.process, actingFor: origin.effectiveProcess, &texts)
      return mention
    }
    switch comments[origin.comment] ?? .nothing {
    case .nothing: break
    case .process(let text): mention.process = text
    case .sender(let text): if mention.party == .sender { mention.process = text }
    case .androidUser(let user): mention.process = text(ofAndroidUser: user, &texts)
    }
    return mention
  }

  private mutating func text(
    of number: UInt16, actingFor effective: UInt16, _ texts: inout TextPool
  ) -> TextID {
    let pair = UInt32(number) << 16 | UInt32(effective)
    if let known = pairs[pair] { return known }
    let (process, other) = (processes[number], processes[effective])
    guard pairs.count < Self.limit, process != nil || other != nil else { return .none }
    let text = texts.intern(
      ProcessIdentity(
        source: .applePcapng, identifier: process?.identifier, name: process?.name ?? [], app: other?.name ?? []))
    pairs[pair] = text
    return text
  }

  /// The text of a user's app; an app that the capture does not name has its number as name.
  private mutating func text(ofAndroidUser user: Int32, _ texts: inout TextPool) -> TextID {
    if let known = apps[user] { return known }
    guard apps.count < Self.limit else { return .none }
    let text = texts.intern(ProcessIdentity(source: .pcapdroid, identifier: nil, name: Array("u-\(user)".utf8)))
    apps[user] = text
    return text
  }

  /// The process that a packet's own pseudo-header or trailer names. `octets` are the packet's.
  mutating func mention(of process: TappedProcess, _ octets: RawSpan, _ texts: inout TextPool) -> ProcessMention {
    ProcessMention(process: text(of: process, octets, &texts), party: process.party)
  }

  private mutating func text(of process: TappedProcess, _ octets: RawSpan, _ texts: inout TextPool) -> TextID {
    if let tapped, isSame(tapped.process, process, octets) { return tapped.text }
    var (name, app): ([UInt8], [UInt8]) = ([], [])
    octets.append(process.name, to: &name)
    octets.append(process.app, to: &app)
    // PCAPdroid names an app but no process. Rows group by the name, so the app stands there too.
    if process.format == .pcapdroid { name = app }
    let identity = ProcessIdentity(
      source: process.format == .pktap ? .pktap : .pcapdroid, identifier: process.identifier, name: name, app: app)
    let text = texts.intern(identity)
    if let tapped { texts.release(tapped.text) }
    tapped = (identity, text)
    return text
  }

  /// Releases the text of the process that a packet's own octets named last.
  mutating func forgetTapped(_ texts: inout TextPool) {
    if let tapped { texts.release(tapped.text) }
    tapped = nil
  }

  private func isSame(_ known: ProcessIdentity, _ process: TappedProcess, _ octets: RawSpan) -> Bool {
    let source: ProcessSource = process.format == .pktap ? .pktap : .pcapdroid
    guard known.source == source, known.identifier == process.identifier,
      octets.extracting(process.app).hasSameOctets(as: known.app)
    else { return false }
    return source == .pcapdroid || octets.extracting(process.name).hasSameOctets(as: known.name)
  }
}

/// The process that a packet belongs to, and the end of the packet where it is.
struct ProcessMention {
  /// The text of the process, retained by its table; `TextID.none` if the capture names none.
  var process = TextID.none
  /// The end of the packet where the process is.
  var party = TappedProcess.Party.unknown
}
