import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One protocol class for each configuration.
///
/// The URL loading system takes protocol *classes*, and does not tell an instance which session it works for. But a request must
/// be sent with the settings of its own session: cookies, additional fields, time-outs, TLS. So each configuration gets a class
/// of its own, made of one generic class and a type parameter that counts.
enum Slots {
  /// The largest number of configurations that get a probe in one run. A class is never used twice, because an old session would
  /// load with another session's settings.
  static let limit = 256

  private struct State {
    var loaders: [ObjectIdentifier: Loader] = [:]
    var next: any Slot.Type = FirstSlot.self
    var made = 0
  }

  private static let state = Locked(State())

  /// A class that loads with a copy of this configuration; nil beyond the limit. An already injected configuration gets
  /// another class.
  static func claim(for probe: TrafficProbe, configuration: URLSessionConfiguration) -> ProbeProtocol.Type? {
    state.withLock { state in
      guard state.made < limit else { return nil }
      let claimed = state.next.protocolClass
      state.next = state.next.next
      state.made += 1
      state.loaders[ObjectIdentifier(claimed)] = Loader(probe: probe, configuration: configuration)
      return claimed
    }
  }

  /// The loader of a class; nil after its probe was stopped.
  static func loader(of claimed: ProbeProtocol.Type) -> Loader? {
    state.withLock { $0.loaders[ObjectIdentifier(claimed)] }
  }

  /// Retires the probe's classes.
  static func release(_ probe: TrafficProbe) {
    let before = state.withLock { state in
      defer { state.loaders = state.loaders.filter { $0.value.probe !== probe } }
      return state.loaders
    }
    // These are released outside of the lock, because a loader that ends invalidates its session.
    withExtendedLifetime(before) {}
  }
}

/// A type that stands for a number.
protocol Slot {}

enum FirstSlot: Slot {}
enum NextSlot<Previous: Slot>: Slot {}

extension Slot {
  static var next: any Slot.Type { NextSlot<Self>.self }
  static var protocolClass: ProbeProtocol.Type { SlotProtocol<Self>.self }
}

/// The class of one slot.
final class SlotProtocol<Number: Slot>: ProbeProtocol {}
