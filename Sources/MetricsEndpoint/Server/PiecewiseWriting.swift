import NIOCore
import NIOHTTP1

extension ChannelInboundHandler where OutboundOut == HTTPServerResponsePart {
  /// Writes octets of a body in pieces of 64 KiB: each that a slow client takes shows that it is still there.
  func writePieces(of octets: ByteBuffer, _ context: ChannelHandlerContext) {
    var octets = octets
    while let piece = octets.readSlice(length: min(64 << 10, octets.readableBytes)), piece.readableBytes > 0 {
      context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil)
    }
  }
}
