/// The coding of gRPC messages, by its name in `grpc-encoding`.
enum GRPCEncoding: UInt8 {
  case identity
  case gzip
  case deflate
  case br
  case zstd
  /// One that is not known here.
  case other

  /// The coding that a field's value names.
  init(_ value: RawSpan) {
    func isNamed(_ name: StaticString) -> Bool {
      value.byteCount == name.utf8CodeUnitCount && value.matches(name, at: 0)
    }
    self =
      value.byteCount == 0 || isNamed("identity")
      ? .identity
      : isNamed("gzip") ? .gzip : isNamed("deflate") ? .deflate : isNamed("br") ? .br : isNamed("zstd") ? .zstd : .other
  }

  /// The names by which a decoder is asked for.
  var codings: [String] { self == .identity ? [] : ["\(self)"] }
}
