import SystemPackage

/// A short file that a person writes, read whole: a regular file, or a pipe such as a shell's `<(command)`.
package enum ShortFile {
  /// The time in which a pipe must be written and closed.
  private static let patience: Duration = .seconds(30)

  /// The reason why a file was not read. It goes on after the file's name.
  package struct Fault: Error, Equatable {
    package let description: String

    fileprivate init(_ description: String) { self.description = description }
  }

  /// The octets of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most octets that it may have.
  ///   - patience: The time that a pipe has.
  /// - Returns: All of them.
  /// - Throws: if it has more octets, cannot be read, or is neither a regular file nor a pipe that ends in time.
  package static func octets(
    of path: String, limit: Int, patience: Duration = patience
  ) throws(Fault) -> [UInt8] {
    let file: OpenFile
    do throws(Errno) { file = try OpenFile.reading(path) } catch {
      throw Fault("there is no such file, or this user may not read it")
    }
    let isRegular = file.isRegularFile
    guard isRegular || file.isPipe else { throw Fault("is not a regular file") }
    let end = ContinuousClock.now + patience
    var octets: [UInt8] = []
    while octets.count <= limit {
      guard isRegular || file.waitForOctets(until: end) else {
        throw Fault("is a pipe that was not written and closed within \(patience.components.seconds) s")
      }
      do throws(Errno) {
        let next = try file.next(limit + 1 - octets.count)
        if next.isEmpty { return octets }
        octets += next
      } catch {
        throw Fault("cannot be read: \(error)")
      }
    }
    throw Fault("has more than \(limit) bytes")
  }
}
