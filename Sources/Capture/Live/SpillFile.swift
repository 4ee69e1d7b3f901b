import Shared
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file for packets that wait while the memory for them is full. It has no name, so that it vanishes when the process ends in
/// any way. Unsafe sites: system calls that take addresses.
///
/// It has room for a number of slots of one length; `PacketQueue` assigns them. The owner of a slot writes and reads it, at the
/// same time as others use theirs.
public final class SpillFile: Sendable {
  /// The default limit of its octets.
  public static let defaultCapacity = 1 << 30

  /// The path of its folder as given, for errors.
  public let folder: String
  /// The largest number of octets.
  public let capacity: Int

  private let descriptor: FileDescriptor
  /// Whether octets were written since it was empty. Locked while octets are written and while the file is emptied, so that new
  /// octets are not cut off.
  private let isUsed = Locked(false)

  /// Makes the file in a folder, for its owner alone. It grows to `capacity` octets at most. It also takes at most half of the
  /// file system's free space now, so that there is room for other files.
  ///
  /// Throws when there can be no such file.
  public init(in folder: String, capacity: Int) throws(CaptureError) {
    self.folder = folder
    descriptor = try Self.open(in: folder)
    self.capacity = min(max(capacity, 0), (Self.available(descriptor) ?? .max) / 2)
  }

  deinit { try? descriptor.close() }

  private static func open(in folder: String) throws(CaptureError) -> FileDescriptor {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    // A name is in use for an instant only. A process that was killed in that instant may have left one, or an attacker may have
    // planted it.
    for attempt in 0..<1000 {
      let path = "\(prefix).sniffer-\(getpid())-\(attempt).spill"
      do {
        let file = try unsafe FileDescriptor.open(
          path, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
          permissions: [.ownerReadWrite])
        guard unsafe unlink(path) == 0 else {
          let number = errno
          try? file.close()
          throw Errno(rawValue: number)
        }
        return file
      } catch Errno.fileExists {
        continue
      } catch {
        throw CaptureError(file: folder, problem: .cannotWrite(errno: (error as? Errno ?? .ioError).rawValue))
      }
    }
    throw CaptureError(file: folder, problem: .cannotWrite(errno: EEXIST))
  }

  /// Octets that this user may still write to the file system of a file; nil if unknown.
  private static func available(_ file: FileDescriptor) -> Int? {
    var status = statvfs()
    guard unsafe fstatvfs(file.rawValue, &status) == 0 else { return nil }
    let (octets, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: status.f_frsize))
    return overflow ? nil : octets
  }

  /// Writes a block at an offset. Throws when it could not be written whole.
  func write(_ block: PacketBlock, at offset: Int) throws(Errno) {
    try isUsed.withLock { isUsed throws(Errno) in
      isUsed = true
      try unsafe block.withUnsafeBytes { octets throws(Errno) in
        var written = 0
        while written < octets.count {
          let rest = unsafe UnsafeRawBufferPointer(rebasing: octets[written...])
          let count: Int
          do { count = try unsafe descriptor.write(toAbsoluteOffset: Int64(offset + written), rest) } catch {
            throw error as? Errno ?? .ioError
          }
          // POSIX allows this without an error, but it is no progress either.
          guard count > 0 else { throw .ioError }
          written += count
        }
      }
    }
  }

  /// Reads `memory.count` octets at an offset. Throws when there are fewer.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) {
    var done = 0
    while done < memory.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[done...])
      let count: Int
      do { count = try unsafe descriptor.read(fromAbsoluteOffset: Int64(offset + done), into: rest) } catch {
        throw error as? Errno ?? .ioError
      }
      guard count > 0 else { throw .ioError }
      done += count
    }
  }

  /// Octets up to the last one written since the file was empty.
  var length: Int { (try? descriptor.stat()).map { Int($0.size) } ?? 0 }

  /// Gives the file's disk space back if no slot is in use: `isFree` is called while no thread can write.
  func empty(if isFree: () -> Bool) {
    isUsed.withLock { isUsed in
      guard isUsed, isFree() else { return }
      // On an error the space is given back at the next time, or at the end.
      if (try? descriptor.resize(to: 0)) != nil { isUsed = false }
    }
  }
}

/// The slots of a file that are in use. The last slot that was given back is taken next, because its content is likely to be in
/// memory still.
struct SpillSlots {
  private let count: Int
  private var free: [Int] = []
  /// The first slot that was never taken.
  private var unused = 0

  /// A number of slots, all free.
  init(count: Int) { self.count = count }

  /// Whether no slot is in use.
  var areAllFree: Bool { free.count == unused }

  /// Takes a slot, by its number; nil if all are taken.
  mutating func take() -> Int? {
    if let slot = free.popLast() { return slot }
    guard unused < count else { return nil }
    unused += 1
    return unused - 1
  }

  /// Gives a slot back.
  mutating func give(_ slot: Int) {
    free.append(slot)
    if areAllFree {
      free.removeAll(keepingCapacity: true)
      unused = 0
    }
  }
}
