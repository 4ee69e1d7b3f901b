// Unsafe: libFuzzer lends an input as an address and a length, for one call.

import FuzzTargets

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The target that `SNIFFER_FUZZ_TARGET` names.
private let target: FuzzTarget = {
  let name = unsafe getenv("SNIFFER_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget.named(name) else {
    fatalError("SNIFFER_FUZZ_TARGET is none of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
  }
  return target
}()

/// CPU time that an input may take, in nanoseconds, before it is called too slow: a part for setting up, which a busy
/// machine stretches, and one for each octet. The slowest honest input takes a hundredth of it.
private let timeForAll = 400_000_000
private let timeForOctet = 100_000

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func runOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let before = cpuTime()
  if let fault = target.fault(input) { fatalError("\(target.name): \(fault)") }
  let taken = cpuTime() - before
  if taken > timeForAll + count * timeForOctet { fatalError("\(target.name): \(count) octets took \(taken) ns") }
  return 0
}

/// Nanoseconds of CPU that this thread has used.
private func cpuTime() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
