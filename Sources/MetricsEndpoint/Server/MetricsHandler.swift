import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one after another.
///
/// Bodies of requests are passed over. A connection on which nothing comes and nothing is taken for as long as the
/// pipeline's `IdleStateHandler` allows is closed.
final class MetricsHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let page: MetricsPage
  /// The request whose end has not come yet.
  private var request: HTTPRequestHead?

  init(_ page: MetricsPage) { self.page = page }

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
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func respond(to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let (status, fields, content) = answer(to: request)
    var headers = fields
    headers.add(name: "content-length", value: String(content.readableBytes))
    if !request.isKeepAlive { headers.add(name: "connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD { writePieces(of: content, context) }
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if !request.isKeepAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
  }

  private func answer(to request: HTTPRequestHead) -> (HTTPResponseStatus, HTTPHeaders, ByteBuffer) {
    let path = request.uri.prefix { $0 != "?" }
    guard path == "/metrics" || path == "/" else { return (.notFound, [:], ByteBuffer()) }
    guard request.method == .GET || request.method == .HEAD else {
      return (.methodNotAllowed, ["allow": "GET, HEAD"], ByteBuffer())
    }
    if path == "/metrics" {
      return (.ok, ["content-type": "text/plain; version=0.0.4; charset=utf-8"], page.octets)
    }
    return (
      .ok, ["content-type": "text/plain; charset=utf-8"],
      ByteBuffer(string: "sniffer's metrics for Prometheus are at /metrics\n")
    )
  }
}
