import Packets

/// An event between packets, except secrets.
public enum AnalysisEvent: Sendable {
  /// The name of an address (`Pipeline.learn(name:for:)`).
  case name([UInt8], IPAddress)
  /// The process of a number in packets' origins.
  case process(number: UInt16, identifier: UInt32, name: [UInt8])
  /// The app of an Android user identifier.
  case app(user: Int32, package: [UInt8], name: [UInt8])
  /// The comment of a number in packets' origins.
  case comment(number: UInt16, octets: [UInt8])
  /// This capture time was reached without a packet (`Pipeline.pass(to:)`).
  case passed(Int64)
}

extension Pipeline {
  /// Takes an event between packets.
  ///
  /// - Throws: Errors of the sink.
  public mutating func take(_ event: AnalysisEvent) throws(Sink.Failure) {
    switch event {
    case .name(let name, let address): learn(name: name, for: address)
    case .process(let number, let identifier, let name): learn(process: number, identifier: identifier, name: name)
    case .app(let user, let package, let name): learn(androidUser: user, package: package, app: name)
    case .comment(let number, let octets): learn(comment: number, octets: octets)
    case .passed(let time): try pass(to: time)
    }
  }
}
