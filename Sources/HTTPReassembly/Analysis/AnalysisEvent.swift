import Packets

/// What is learnt between packets, but for secrets.
public enum AnalysisEvent: Sendable {
  /// The name of an address (`Pipeline.learn(name:for:)`).
  case name([UInt8], IPAddress)
  /// The process that packets' origins have a number for.
  case process(number: UInt16, identifier: UInt32, name: [UInt8])
  /// The app that an Android user identifier stands for.
  case app(user: Int32, package: [UInt8], name: [UInt8])
  /// The comment that packets' origins have a number for.
  case comment(number: UInt16, octets: [UInt8])
  /// It is this capture time, and no packet has come (`Pipeline.pass(to:)`).
  case passed(Int64)
}

extension Pipeline {
  /// Takes what is learnt between packets.
  ///
  /// - Throws: What the sink throws.
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
