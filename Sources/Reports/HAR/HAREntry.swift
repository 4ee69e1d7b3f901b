import HTTPReassembly

/// What an entry has of its exchange, beside the two messages.
///
/// An entry has only fields that HAR 1.2 has; ours are in the objects below it. There are readers that take an entry with
/// any other field for that of a certain browser, and refuse it for what it lacks then.
enum HAREntry {
  /// Appends the members of an entry that its exchange knows.
  static func append(_ exchange: Exchange, to json: inout JSONWriter) {
    let timings = exchange.timings
    // As in HAR 1.1, `connect` has all of it; `ssl` says how much of that was TLS.
    let connect = timings.connect == nil && timings.tls == nil ? nil : (timings.connect ?? 0) + (timings.tls ?? 0)
    json.key("startedDateTime")
    json.dateTime(exchange.started)
    json.key("time")
    json.milliseconds(
      [timings.dns, connect, timings.send, timings.wait, timings.receive].reduce(Int64(0)) { $0 + ($1 ?? 0) })
    json.key("timings")
    json.open("{")
    for (name, duration) in [("blocked", nil), ("dns", timings.dns), ("connect", connect), ("ssl", timings.tls)] {
      json.key(name)
      json.milliseconds(duration)
    }
    // HAR wants these three, and not negative; those that did not happen are named.
    let phases = [("send", timings.send), ("wait", timings.wait), ("receive", timings.receive)]
    for (name, duration) in phases {
      json.key(name)
      json.milliseconds(duration ?? 0)
    }
    if phases.contains(where: { $0.1 == nil }) {
      json.key("_wireAbsent")
      json.open("[")
      for (name, duration) in phases where duration == nil { json.name(name) }
      json.close("]")
    }
    json.close("}")
    json.key("cache")
    json.open("{")
    json.close("}")
    json.key("connection")
    json.name(String(exchange.connection))
  }

  /// Appends the server's address; a redacted one is none that HAR would take.
  static func append(server: Endpoint, redaction: Redaction?, to json: inout JSONWriter) {
    guard redaction == nil else { return }
    json.key("serverIPAddress")
    json.name(server.address.description)
  }
}
