import SystemPackage

/// Calls the system through swift-system, whose errors are all `Errno`s, and throws the result of `failure` for the error's
/// number.
@inline(__always)
func systemCall<Result>(
  _ call: () throws -> Result, failure: (Int32) -> CaptureError
) throws(CaptureError) -> Result {
  do { return try call() } catch { throw failure((error as? Errno ?? .ioError).rawValue) }
}
