import Foundation

extension KeyedDecodingContainer {
  /// A number of octets: nil when it is absent, null, or -1, which means unknown in all producers' files. Throws for other values
  /// than whole numbers, and for more than any message has.
  func octets(_ key: Key) throws -> Int? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let number: Int64?
    if let whole = try? decode(Int64.self, forKey: key) {
      number = whole
    } else {
      number = Int64(exactly: try real(key))
    }
    guard let number, number.magnitude <= LogCell.largestLength.magnitude else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "expected a whole number of bytes up to 2^40")
    }
    return number == -1 ? nil : Int(number)
  }

  /// Milliseconds: nil when absent, null, or negative, which means unknown.
  func milliseconds(_ key: Key) throws -> Double? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let number = try real(key)
    guard number >= 0 else { return nil }
    // A day is longer than any transfer.
    guard number <= 86_400_000 else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "expected milliseconds of one day")
    }
    return number
  }

  /// Seconds as nanoseconds: nil when absent, null, or negative.
  func seconds(_ key: Key) throws -> Int64? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let number = try real(key)
    guard number >= 0 else { return nil }
    guard number <= 86_400 else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "expected seconds of one day")
    }
    return Int64((number * 1e9).rounded())
  }

  /// A number. Foundation throws an error of its own, without the position, for numbers outside of the range of `Double`.
  private func real(_ key: Key) throws -> Double {
    do { return try decode(Double.self, forKey: key) } catch let error as DecodingError { throw error } catch {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "expected a number that fits")
    }
  }

  /// Text; nil when absent, null, or of another type. For fields that no format defines.
  func looseText(_ key: Key) -> String? { try? decodeIfPresent(String.self, forKey: key) }

  /// Whether a field that no format defines says yes.
  func looseFlag(_ key: Key) -> Bool { (try? decodeIfPresent(Bool.self, forKey: key)) ?? false }
}
