import NIOCore
import NIOHTTP1

/// Answers the requests of one connection: with the page, or with what is newer as it comes (server-sent events, HTML Living Standard §9.2).
///
/// A viewer has one page on its way at most. Who is slower than pages are made gets the newest one when the last one is through, and misses
/// those between.
final class PageHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// What a viewer has got.
  private struct View {
    var version: Int
    var isSending = false
  }

  private let gate: PageGate
  private let content: PageContent
  /// The request whose end has not come yet.
  private var request: HTTPRequestHead?
  /// What was sent where newer pages are waited for.
  private var view: View?

  init(_ gate: PageGate, _ content: PageContent) {
    self.gate = gate
    self.content = content
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): request = head
    case .body: break
    case .end:
      guard let request = request.take() else { return }
      respond(to: request, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is PageContent.Newer: sendNewer(context)
    // Nothing to say for a while: a comment keeps the connection, unless the client does not even take what was sent.
    case IdleStateHandler.IdleStateEvent.write:
      if let view, !view.isSending { send([ByteBuffer(string: ":\n\n")], context) }
    case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    view = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: Responses

  private func respond(to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    switch gate.decide(request) {
    case .refused(let status): answer(status, [], to: request, context)
    case .page:
      answer(.ok, [content.head, content.data.octets, content.tail], to: request, context)
    case .events(let version):
      guard content.add(context.channel) else { return answer(.serviceUnavailable, [], to: request, context) }
      var headers = Self.headers(ofType: "text/event-stream")
      headers.add(name: "x-accel-buffering", value: "no")
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      view = View(version: version)
      send([ByteBuffer(string: "retry: 2000\n\n")], context)
      sendNewer(context)
    }
  }

  private func answer(
    _ status: HTTPResponseStatus, _ content: [ByteBuffer], to request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    var headers = Self.headers(ofType: "text/html")
    headers.add(name: "content-length", value: String(content.reduce(0) { $0 + $1.readableBytes }))
    if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
    // Who is refused has nothing more to ask.
    let isLast = !request.isKeepAlive || status != .ok
    if isLast { headers.add(name: "connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD { write(content, context) }
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if isLast { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
  }

  /// The fields of every response: nobody keeps it, no other site reads it or shows it in a frame, and it is what it says it is.
  private static func headers(ofType type: String) -> HTTPHeaders {
    [
      "content-type": "\(type); charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff",
      "content-security-policy": "frame-ancestors 'none'", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
    ]
  }

  // MARK: Events

  /// Sends the newest page, unless the viewer has it, or another one is on its way.
  private func sendNewer(_ context: ChannelHandlerContext) {
    guard let view, !view.isSending else { return }
    let data = content.data
    guard data.version > view.version else { return }
    self.view = View(version: data.version, isSending: true)
    let written = send(
      [ByteBuffer(string: "id: \(data.version)\ndata: "), data.octets, ByteBuffer(string: "\n\n")], context)
    written.assumeIsolated().whenComplete { [self] _ in
      self.view?.isSending = false
      if data.isLast { end(context) } else { sendNewer(context) }
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    guard view.take() != nil else { return }
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
  }

  @discardableResult
  private func send(_ octets: [ByteBuffer], _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
    write(octets.dropLast(), context)
    return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(octets.last ?? ByteBuffer()))))
  }

  private func write(_ octets: some Sequence<ByteBuffer>, _ context: ChannelHandlerContext) {
    for octets in octets { writePieces(of: octets, context) }
  }
}
