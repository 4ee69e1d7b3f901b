// Unsafe sites: C functions that lend memory. The entries of a folder are counted, not kept; a line is read into memory of our own.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The resources of the process itself, under the names of Prometheus' own clients.
///
/// Only Linux has files with them. They are opened once and read again and again, since a confined process may open no others.
@safe
final class ProcessFigures {
  #if os(Linux)
    private let status: FileDescriptor?
    private let descriptors: OpaquePointer?
    private let pageLength = sysconf(CInt(_SC_PAGESIZE))
    private let ticks = Double(max(sysconf(CInt(_SC_CLK_TCK)), 1))
    private let descriptorLimit: UInt64?
    private let bootTime: Double?

    /// Opens the files. Without them (in a container without `/proc`) there are no figures.
    init() {
      status = try? FileDescriptor.open(FilePath("/proc/self/stat"), .readOnly, options: .closeOnExec)
      unsafe descriptors = unsafe opendir("/proc/self/fd")
      var limit = rlimit()
      #if canImport(Glibc)
        let result = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      #else
        let result = unsafe getrlimit(RLIMIT_NOFILE, &limit)
      #endif
      descriptorLimit = result == 0 ? UInt64(limit.rlim_cur) : nil
      var (now, sinceBoot) = (timespec(), timespec())
      let isKnown = unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 && clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0
      bootTime = isKnown ? Self.seconds(now) - Self.seconds(sinceBoot) : nil
    }

    deinit {
      try? status?.close()
      if let descriptors = unsafe descriptors { _ = unsafe closedir(descriptors) }
    }

    /// Appends the current figures.
    func append(to page: inout [UInt8]) {
      // The program's name stands in parentheses, and may contain parentheses.
      let fields = line?.split(separator: UInt8(ascii: ")")).last?.split(separator: UInt8(ascii: " "))
      if let fields, fields.count > 21 {
        let numbers = fields.map { Double(String(decoding: $0, as: UTF8.self)) }
        if let user = numbers[11], let system = numbers[12] {
          Self.append(
            "process_cpu_seconds_total", "counter", "User and system time of the process.", (user + system) / ticks,
            to: &page)
        }
        if let pages = numbers[21] {
          Self.append(
            "process_resident_memory_bytes", "gauge", "Memory of the process that is in RAM.",
            pages * Double(pageLength), to: &page)
        }
        if let octets = numbers[20] {
          Self.append(
            "process_virtual_memory_bytes", "gauge", "Addresses that the process has reserved.", octets, to: &page)
        }
        if let start = numbers[19], let bootTime {
          Self.append(
            "process_start_time_seconds", "gauge", "Start of the process since the Unix epoch.",
            bootTime + start / ticks, to: &page)
        }
      }
      if let count = openDescriptors {
        Self.append("process_open_fds", "gauge", "Open file descriptors.", Double(count), to: &page)
      }
      if let descriptorLimit {
        Self.append(
          "process_max_fds", "gauge", "File descriptors that may be open.", Double(descriptorLimit), to: &page)
      }
    }

    private var line: ArraySlice<UInt8>? {
      guard let status else { return nil }
      var octets = [UInt8](repeating: 0, count: 1024)
      let length = unsafe octets.withUnsafeMutableBytes { try? unsafe status.read(fromAbsoluteOffset: 0, into: $0) }
      return length.map { octets.prefix($0) }
    }

    private var openDescriptors: Int? {
      guard let descriptors = unsafe descriptors else { return nil }
      unsafe rewinddir(descriptors)
      var count = 0
      while unsafe readdir(descriptors) != nil { count += 1 }
      // The folder itself and its parent are not counted.
      return count >= 2 ? count - 2 : nil
    }

    private static func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
  #else
    /// Other systems have no figures.
    init() {}

    /// Appends nothing.
    func append(to page: inout [UInt8]) {}
  #endif

  private static func append(_ name: String, _ type: String, _ help: String, _ value: Double, to page: inout [UInt8]) {
    page += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(ExpositionText.number(value))\n".utf8
  }
}
