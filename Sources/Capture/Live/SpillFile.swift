import Shared
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that packets wait in while the memory for them is full. It has no name, so that nothing of it remains when the
/// process ends, however that ends. Unsafe sites: system calls that take addresses.
///
/// It has room for a number of slots of one length; who uses which is for `PacketQueue` to say. Whoever has a slot writes
/// it and reads it, at the same time as others do theirs.
public final class SpillFile: Sendable {
  /// Octets that it may have, unless said otherwise.
  public static let defaultCapacity = 1 << 30

  /// The folder that it is in, as it was named, for errors.
  public let folder: String
  /// Octets that it may have at most.
  public let capacity: Int

  private let descriptor: FileDescriptor
  /// Octets written since it was empty. Locked while octets are written and while the file is emptied, so that nothing
  /// is cut off that was just written.
  private let isUsed = Locked(false)

  /// Makes the file in a folder, for its owner alone. It grows to `capacity` octets at most, and to half of what is free
  /// in that file system now, so that there is room for what else is written there.
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
    // A name is in use for an instant only; one that is taken was left by a process that was killed in that instant, or
    // planted.
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

  /// Octets that this user may still write to the file system of a file; nil where it does not say.
  private static func available(_ file: FileDescriptor) -> Int? {
    var status = statvfs()
    guard unsafe fstatvfs(file.rawValue, &status) == 0 else { return nil }
    let (octets, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: status.f_frsize))
    return overflow ? nil : octets
  }

  /// Writes what a block has at an offset. Throws when it could not be written whole.
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
          // Not an error by POSIX, but no progress either.
          guard count > 0 else { throw .ioError }
          written += count
        }
      }
    }
  }

  /// Reads `memory.count` octets at an offset. Throws when they are not all there.
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

  /// Octets up to the last one that was written since the file was empty.
  var length: Int { (try? descriptor.stat()).map { Int($0.size) } ?? 0 }

  /// Gives the disk back what the file has, if nobody has a slot: `isFree` is asked while nobody can write.
  func empty(if isFree: () -> Bool) {
    isUsed.withLock { isUsed in
      guard isUsed, isFree() else { return }
      // What cannot be given back now is with the next time, or with the end.
      if (try? descriptor.resize(to: 0)) != nil { isUsed = false }
    }
  }
}

/// Which slots of a file are in use. A slot that was given back is the next to be taken: what it has is likely to be in
/// memory still.
struct SpillSlots {
  private let count: Int
  private var free: [Int] = []
  /// Slots from here on were never taken.
  private var unused = 0

  /// So many slots, none of which is taken.
  init(count: Int) { self.count = count }

  /// Whether nobody has a slot.
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
