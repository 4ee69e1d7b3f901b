import Packets

/// The records of a name resolution block (draft-ietf-opsawg-pcapng §4.5).
enum PcapngNames {
  /// Appends the block's names to `names` until that holds as many as may wait; `length` is that of the whole block.
  static func read(
    in window: borrowing OctetWindow, order: ByteOrder, length: Int, into names: inout [NameRecord]
  ) {
    // Records have the shape of options: a type, a length and a padded value, and type 0 ends them.
    var records = PcapngOptions(8..<length - 4, order: order)
    while let record = records.next(in: window) {
      let addressLength: Int
      switch record.code {
      case 1: addressLength = 4
      case 2: addressLength = 16
      // Names of hardware addresses.
      default: continue
      }
      guard record.value.count > addressLength else { continue }
      let start = record.value.lowerBound
      let address =
        addressLength == 4
        ? IPAddress(v4: ByteOrder.big(window.load(start, as: UInt32.self)))
        : IPAddress(
          high: ByteOrder.big(window.load(start, as: UInt64.self)),
          low: ByteOrder.big(window.load(start + 8, as: UInt64.self)))
      let text = window.copy(start + addressLength..<record.value.upperBound)
      for name in text.split(separator: 0) where names.count < CaptureLimits.waitingNames {
        names.append(NameRecord(address: address, name: Array(name)))
      }
    }
  }
}
