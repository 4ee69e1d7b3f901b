/// The process that a packet belongs to, as a comment on the packet names it. Each program that knows the process writes it in its own way.
///
/// Only the formats of these programs are read. No other comment is searched.
enum ProcessComment: Equatable {
  /// The comment names no process.
  case nothing
  /// It names a process.
  case process(ProcessIdentity)
  /// It has the user identifier of an Android app (PCAPdroid): `u-10123`.
  case androidUser(Int32)
  /// It names the process that ran when Windows saw the packet (etl2pcapng). For a packet that came in, this can be any process.
  case sender(ProcessIdentity)

  init(_ comment: [UInt8]) {
    self =
      Self.android(comment) ?? Self.rustnet(comment) ?? Self.etl2pcapng(comment) ?? Self.pymobiledevice3(comment)
      ?? Self.ptcpdump(comment) ?? .nothing
  }

  // MARK: Programs

  /// PCAPdroid: `u-` and a number, which is -1 for an unknown app.
  private static func android(_ comment: [UInt8]) -> ProcessComment? {
    guard comment.starts(with: "u-".utf8), comment.count <= 13,
      let user = Int32(String(decoding: comment.dropFirst(2), as: UTF8.self))
    else { return nil }
    return user < 0 ? .nothing : .androidUser(user)
  }

  /// rustnet: `rustnet process=curl pid=12 …`, words without spaces. Its `app` is a protocol and is not read.
  private static func rustnet(_ comment: [UInt8]) -> ProcessComment? {
    guard comment.starts(with: "rustnet ".utf8) else { return nil }
    var words: [String: [UInt8]] = [:]
    for word in comment.split(separator: UInt8(ascii: " ")).dropFirst() {
      guard let end = word.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: word[..<end], as: UTF8.self)
      if words[key] == nil { words[key] = Array(word[(end + 1)...]) }
    }
    let identity = ProcessIdentity(
      source: .rustnet, identifier: words["pid"].flatMap(number), name: words["process"] ?? [],
      app: owner(pod: words["pod"], of: words["ns"], container: words["container"]))
    return known(identity).map(ProcessComment.process) ?? .nothing
  }

  /// etl2pcapng: `PID=12 TID=34 …`. 0 is no process, and 4 is the system, which sends for any process.
  private static func etl2pcapng(_ comment: [UInt8]) -> ProcessComment? {
    guard comment.starts(with: "PID=".utf8) else { return nil }
    let digits = comment.dropFirst(4).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    guard let pid = number(Array(digits)) else {
      return comment.dropFirst(4).first == UInt8(ascii: "-") ? .nothing : nil
    }
    if pid == 0 || pid == 4 || pid == .max { return .nothing }
    return .sender(ProcessIdentity(source: .etl2pcapng, identifier: pid, name: []))
  }

  /// pymobiledevice3: `PID: 512, ProcName: MyApp, EPID: 0, EProcName: , SVC: 0` in one line. The second process is the one on whose behalf
  /// the first acts. A name may contain commas, and ends where the next key begins.
  private static func pymobiledevice3(_ comment: [UInt8]) -> ProcessComment? {
    guard comment.starts(with: "PID: ".utf8), !comment.contains(UInt8(ascii: "\n")) else { return nil }
    var rest = comment.dropFirst(5)
    var values: [[UInt8]] = []
    for key in [", ProcName: ", ", EPID: ", ", EProcName: ", ", SVC: "] {
      guard let range = rest.firstRange(of: Array(key.utf8)) else { return nil }
      values.append(Array(rest[..<range.lowerBound].prefix { $0 != 0 }))
      rest = rest[range.upperBound...]
    }
    // The kernel has no process for some packets: -1.
    let pid = number(values[0]).flatMap { $0 == .max ? nil : $0 }
    let identity = ProcessIdentity(source: .pymobiledevice3, identifier: pid, name: values[1], app: values[3])
    return known(identity).map(ProcessComment.process) ?? .nothing
  }

  /// ptcpdump: lines of `Key: value`, one of them `PID`.
  private static func ptcpdump(_ comment: [UInt8]) -> ProcessComment? {
    var fields: [String: [UInt8]] = [:]
    for line in comment.split(separator: UInt8(ascii: "\n")) {
      guard let end = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let key = String(decoding: trimmed(line[..<end]), as: UTF8.self)
      if fields[key] == nil { fields[key] = Array(trimmed(line[(end + 1)...])) }
    }
    guard let text = fields["PID"], let pid = number(text) else { return nil }
    let command = fields["Command"] ?? fields["Cmd"] ?? []
    // The process has the name of its file, which is the path's last part.
    let name = command.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    let identity = ProcessIdentity(
      source: .ptcpdump, identifier: pid == 0 ? nil : pid, name: name,
      app: owner(pod: fields["PodName"], of: fields["PodNamespace"], container: fields["ContainerName"]))
    return known(identity).map(ProcessComment.process) ?? .nothing
  }

  // MARK: Parts

  /// The pod with its namespace; without a pod, the container.
  private static func owner(pod: [UInt8]?, of namespace: [UInt8]?, container: [UInt8]?) -> [UInt8] {
    guard let pod, !pod.isEmpty else { return container ?? [] }
    guard let namespace, !namespace.isEmpty else { return pod }
    return namespace + [UInt8(ascii: "/")] + pod
  }

  /// The process if it has a name or an identifier, else nil.
  private static func known(_ process: ProcessIdentity) -> ProcessIdentity? {
    process.identifier == nil && process.name.isEmpty && process.app.isEmpty ? nil : process
  }

  private static func number(_ digits: [UInt8]) -> UInt32? {
    guard 1...10 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == 0x09 || octet == 0x0d }
    let rest = text.drop(while: isSpace)
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
    return rest[...last]
  }
}
