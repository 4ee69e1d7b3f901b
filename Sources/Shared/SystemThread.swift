#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the system's. Unsafe sites: the pointer that carries its body over.
///
/// Signals go to other threads: none interrupts its calls, and a write that nobody reads ends no process.
@safe package final class SystemThread {
  /// The system has no more threads.
  package struct NoThread: Error {
    /// Its error number.
    package let status: Int32
  }

  #if canImport(Glibc)
    private typealias Identifier = pthread_t
  #else
    private typealias Identifier = pthread_t?
  #endif

  private var thread: Identifier

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread. Throws when the system has no more.
  package init(_ run: @escaping @Sendable () -> Void) throws(NoThread) {
    #if canImport(Glibc)
      thread = pthread_t()
    #else
      thread = nil
    #endif
    let status = Self.create(&thread, Body(run))
    guard status == 0 else { throw NoThread(status: status) }
  }

  /// Waits for the end of the thread. Only once.
  package func join() {
    var result: UnsafeMutableRawPointer?
    #if canImport(Glibc)
      unsafe pthread_join(thread, &result)
    #else
      if let thread = unsafe thread { unsafe pthread_join(thread, &result) }
    #endif
  }

  private static func create(_ thread: inout Identifier, _ body: Body) -> Int32 {
    var all = sigset_t()
    var before = sigset_t()
    // A thread begins with the mask of its maker.
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    let context = unsafe Unmanaged.passRetained(body)
    let status = unsafe pthread_create(&thread, nil, { unsafe SystemThread.start($0) }, context.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    if status != 0 { unsafe context.release() }
    return status
  }

  private static func start(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
