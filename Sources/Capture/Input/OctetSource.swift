/// The octets of a capture in their order, decompressed.
///
/// It is called once for each refill of a window, never once per packet, so that dynamic dispatch costs nothing.
protocol OctetSource: AnyObject {
  /// Puts up to `buffer.count` octets at the start of `buffer`, and waits until there is one at least. Returns their
  /// number; 0 is the end. What precedes a fault is returned before the fault is thrown.
  @unsafe func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int
}
