// Unsafe: sockets of the system take pointers to addresses and octets, which are used during the call only.

import Foundation
import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An HTTP proxy of the app's own, on loopback, for CONNECT alone (RFC 9110, section 9.3.6). It passes octets on to another
/// address than the name says. TLS stays between the app and the server: the name in SNI and in the certificate is the app's.
///
/// On Apple platforms only connections to the given hosts are passed on. On Linux a proxy is named by the environment, for all
/// hosts; so there other hosts are passed on to where their names point.
@safe final class Tunnel: Sendable {
  /// The largest number of connections at once.
  static let connectionLimit = 64
  /// The largest number of octets of a request to the proxy.
  static let headerLimit = 8 << 10
  /// Seconds without an octet in either direction after which a connection is given up.
  static let patience = 600

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  /// A host and a port.
  struct Place: Equatable {
    var host: String
    var port: Int
  }

  let port: Int
  private let listener: Int32
  private let addresses: [String: String]
  private let connections = Locked(0)
  private let isEnded = Locked(false)

  /// Nil when the system gives no port.
  init?(_ addresses: [String: String]) {
    self.addresses = addresses
    listener = socket(AF_INET, Tunnel.stream, 0)
    guard listener >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = unsafe withUnsafeMutableBytes(of: &address) { octets in
      guard let base = unsafe octets.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return unsafe bind(descriptor, base, size) == 0 && listen(descriptor, 64) == 0
        && getsockname(descriptor, base, &size) == 0
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isListening else {
      close(descriptor)
      return nil
    }
    Thread.detachNewThread { [self] in accepting() }
  }

  /// Takes no more connections. Those that are open end by themselves.
  func end() {
    isEnded.withLock { $0 = true }
    // One more connection wakes the thread that takes them.
    if let last = Tunnel.opened(to: Place(host: "127.0.0.1", port: port)) { close(last) }
  }

  /// `name`, `name:port`, `address` or `[address]:port`; nil if it is none of them.
  static func place(_ text: String, port: Int) -> Place? {
    var (host, rest) = (text[...], text.suffix(0))
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
    } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      rest = text[colon...]
    }
    guard !host.isEmpty else { return nil }
    if rest.isEmpty { return (1...65_535).contains(port) ? Place(host: String(host), port: port) : nil }
    guard rest.first == ":", let own = Int(rest.dropFirst()), (1...65_535).contains(own) else { return nil }
    return Place(host: String(host), port: own)
  }

  /// The place that a request for a tunnel leads to; nil if it is no such request, or for another host.
  func target(of head: String) -> Place? {
    let words = head.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "CONNECT", words[2].hasPrefix("HTTP/1."),
      let asked = Tunnel.place(String(words[1]), port: 443)
    else { return nil }
    if let other = addresses[asked.host.lowercased()] { return Tunnel.place(other, port: asked.port) }
    #if canImport(FoundationNetworking)
      return asked
    #else
      return nil
    #endif
  }

  private func accepting() {
    while true {
      let peer = accept(listener, nil, nil)
      if isEnded.withLock({ $0 }) {
        if peer >= 0 { close(peer) }
        close(listener)
        return
      }
      guard peer >= 0 else {
        // The app may have no more descriptors for now.
        if errno != EINTR, errno != ECONNABORTED { Thread.sleep(forTimeInterval: 0.1) }
        continue
      }
      let isFree = connections.withLock { count in
        guard count < Tunnel.connectionLimit else { return false }
        count += 1
        return true
      }
      if isFree { Thread.detachNewThread { [self] in serve(peer) } } else { close(peer) }
    }
  }

  private func serve(_ peer: Int32) {
    defer {
      close(peer)
      connections.withLock { $0 -= 1 }
    }
    Tunnel.prepare(peer)
    guard let head = Tunnel.head(from: peer) else { return }
    guard let place = target(of: head) else {
      _ = Tunnel.sendAll(Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8), to: peer)
      return
    }
    guard let server = Tunnel.opened(to: place) else {
      _ = Tunnel.sendAll(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8), to: peer)
      return
    }
    defer { close(server) }
    guard Tunnel.sendAll(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), to: peer),
      let back = try? SystemThread({ Tunnel.pass(from: server, to: peer) })
    else { return }
    Tunnel.pass(from: peer, to: server)
    back.join()
  }

  /// The request up to its empty line, which nothing follows before the answer.
  private static func head(from peer: Int32) -> String? {
    var head: [UInt8] = []
    var octet: [UInt8] = [0]
    while head.count < headerLimit {
      guard unsafe recv(peer, &octet, 1, 0) == 1 else { return nil }
      head.append(octet[0])
      if head.suffix(4) == [13, 10, 13, 10] { return String(decoding: head, as: UTF8.self) }
    }
    return nil
  }

  /// Passes octets on until one side ends, and tells the other side of the end.
  private static func pass(from source: Int32, to target: Int32) {
    var octets = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe recv(source, &octets, octets.count, 0)
      guard count > 0, sendAll(octets[..<count], to: target) else { break }
    }
    shutdown(target, Int32(SHUT_WR))
    // The end of a reader ends its writer, too.
    shutdown(source, Int32(SHUT_RD))
  }

  private static func sendAll(_ octets: some Collection<UInt8>, to target: Int32) -> Bool {
    var rest = Array(octets)[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let sent = unsafe rest.withUnsafeBytes { unsafe send(target, $0.baseAddress, $0.count, flags) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Bounds the waits of a socket. On Darwin, also keeps a peer that went away from ending the process.
  private static func prepare(_ descriptor: Int32) {
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    #if canImport(Darwin)
      var yes: Int32 = 1
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Connects to the first address of a place that answers.
  private static func opened(to place: Place) -> Int32? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = stream
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(place.host, "\(place.port)", &hints, &found) == 0 else { return nil }
    defer { if let found = unsafe found { unsafe freeaddrinfo(found) } }
    var next = unsafe found
    while let entry = unsafe next?.pointee {
      let descriptor = unsafe socket(entry.ai_family, entry.ai_socktype, entry.ai_protocol)
      if descriptor >= 0 {
        prepare(descriptor)
        if unsafe connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return descriptor }
        close(descriptor)
      }
      unsafe next = entry.ai_next
    }
    return nil
  }
}
