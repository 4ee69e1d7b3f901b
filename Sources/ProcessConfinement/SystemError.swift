import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's text for an error number. Unsafe site: the text is copied at once, and `strerror` never returns null.
func systemErrorText(_ number: Int32 = errno) -> String { unsafe String(cString: strerror(number)) }

/// Sets a variable of this process's environment. Unsafe site: both strings are lent for the call, which copies them.
func setEnvironment(_ name: String, _ value: String) { _ = unsafe setenv(name, value.systemName, 1) }
