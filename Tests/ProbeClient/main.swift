import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
do {
  if let count = arguments.benchmark {
    try await Benchmark(server: arguments.server, requests: count).run()
  } else if let count = arguments.stress {
    try await Stress(server: arguments.server, loads: count, isProbed: arguments.isProbed).run()
  } else if let kind = arguments.memory {
    try await Memory(
      server: arguments.server, kind: kind, loads: arguments.requests, octets: arguments.octets,
      isProbed: arguments.isProbed, isShared: arguments.isShared
    ).run()
  } else if let path = arguments.path {
    var options = ProbeOptions()
    if let address = arguments.address, let host = URL(string: arguments.server)?.host {
      options.addresses = [host: address]
    }
    let probe = TrafficProbe(store: arguments.store, options: options)
    // libcurl asks the environment for a proxy, and FoundationNetworking asks nobody else.
    if let port = probe.tunnelPort { unsafe setenv("https_proxy", "http://127.0.0.1:\(port)", 1) }
    let configuration = URLSessionConfiguration.ephemeral
    probe.inject(into: configuration)
    _ = await Load(path: path).run(arguments.server, URLSession(configuration: configuration))
    probe.flush()
  } else if arguments.isShared {
    try await SharedSession(server: arguments.server).run()
  } else {
    try await Tour(arguments).run()
  }
} catch {
  FileHandle.standardError.write(Data("probe-client: \(error.localizedDescription)\n".utf8))
  exit(1)
}
