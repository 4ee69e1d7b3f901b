import Foundation
import Testing

/// A certificate for 127.0.0.1 that signs itself, and its key.
final class Certificate {
  private let folder: Folder
  /// Key and certificate, for a server.
  let server: URL
  /// The certificate alone.
  let authority: URL

  static let isPossible = succeeds(["openssl", "version"])

  /// Whether a process can be given other certificates to trust.
  static let canBeTrusted = succeeds(namespace + ["mount", "-t", "tmpfs", "tmpfs", "/tmp"])

  private static let namespace = ["unshare", "--user", "--map-root-user", "--mount"]

  /// Runs what follows with this certificate in the place of the system's, wherever that is.
  var trusting: [String] {
    let script = """
      for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
        if [ -e "$file" ]; then mount --bind "$0" "$file" || exit 71; fi
      done
      exec "$@"
      """
    return Certificate.namespace + ["sh", "-c", script, authority.path]
  }

  /// Makes a certificate for a name, as OpenSSL writes it.
  init(subject: String = "IP:127.0.0.1") throws {
    folder = try Folder()
    server = folder.file("server.pem")
    authority = folder.file("ca.pem")
    try #require(
      Certificate.succeeds([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=probe", "-addext", "subjectAltName=\(subject)", "-keyout", server.path, "-out",
        authority.path,
      ]), "openssl made no certificate")
    try (Data(contentsOf: server) + Data(contentsOf: authority)).write(to: server)
  }

  private static func succeeds(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
