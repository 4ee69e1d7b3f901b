import Shared

extension SystemThread {
  /// Starts a thread that reads what is called so. Throws when the system has no more threads.
  convenience init(_ name: String, _ run: @escaping @Sendable () -> Void) throws(CaptureError) {
    do throws(NoThread) {
      try self.init(run)
    } catch {
      throw CaptureError(file: name, problem: .cannotOpen(errno: error.status))
    }
  }
}
