import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gives a probe to configurations that the app does not hand over: those that other libraries make for sessions of their own.
///
/// A session reads the protocols of its configuration when it is made. On Apple platforms a getter can be exchanged while the app
/// runs, so each session that is made after `start()` finds the probe's class there. That code is compiled on Apple platforms
/// only, and this project's tests do not run it. FoundationNetworking has no such getter: its configurations are Swift
/// objects, and a session asks registered protocols only after its own. So there a configuration needs `inject(into:)`.
enum EverySession {
  /// Marks a configuration of the probe's own sessions. A copy of a configuration keeps its protocols, and so this mark.
  final class Unmetered: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { false }
  }

  /// Whether a configuration with these protocols is to get a probe: it has none yet, and is not of a probe's own session.
  static func isWithout(_ protocols: [AnyClass]?) -> Bool {
    !(protocols ?? []).contains { $0 is ProbeProtocol.Type || $0 is Unmetered.Type }
  }

  /// The configuration for a session of the probe's own, which no probe meters.
  static func unmetered(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    let others = protocols(of: configuration)?.filter { !($0 is ProbeProtocol.Type) && !($0 is Unmetered.Type) }
    #if canImport(ObjectiveC)
      configuration.protocolClasses = (others ?? []) + [Unmetered.self]
    #else
      configuration.protocolClasses = others
    #endif
    return configuration
  }
}

#if canImport(ObjectiveC)
  import ObjectiveC
  import Shared

  extension EverySession {
    private typealias Getter = @convention(c) (AnyObject, Selector) -> NSArray?

    private struct State {
      var probe: TrafficProbe?
      /// The system's getter, while it is exchanged.
      var original: IMP?
      var own: IMP?
    }

    private static let state = Locked(State())
    private static let selector = #selector(getter: URLSessionConfiguration.protocolClasses)

    /// The getter's place. The configurations of the system are of a hidden class, so it is looked up in one of them.
    private static var method: Method? {
      unsafe class_getInstanceMethod(type(of: URLSessionConfiguration.default), selector)
    }

    /// Exchanges the getter, or gives its work to another probe. Returns false if the system has no such getter.
    static func start(for probe: TrafficProbe) -> Bool {
      // Looked up outside of the lock, because making a configuration may ask for its protocols.
      let found = unsafe method
      return state.withLock { state in
        guard unsafe state.original == nil else {
          state.probe = probe
          return true
        }
        guard let method = unsafe found else { return false }
        let original = unsafe method_getImplementation(method)
        let block: @convention(block) (AnyObject) -> NSArray? = { object in
          if let configuration = object as? URLSessionConfiguration { EverySession.willRead(configuration) }
          return unsafe unsafeBitCast(original, to: Getter.self)(object, EverySession.selector)
        }
        let own = unsafe imp_implementationWithBlock(block)
        unsafe method_setImplementation(method, own)
        unsafe state = State(probe: probe, original: original, own: own)
        return true
      }
    }

    /// Puts the system's getter back, if this probe exchanged it. If other code exchanged it later, it stays, and does nothing.
    static func stop(for probe: TrafficProbe) {
      let found = unsafe method
      state.withLock { state in
        guard state.probe === probe else { return }
        state.probe = nil
        guard let method = unsafe found, let original = unsafe state.original, let own = unsafe state.own,
          unsafe method_getImplementation(method) == own
        else { return }
        unsafe method_setImplementation(method, original)
        unsafe state = State()
      }
    }

    /// The protocols as the system's getter gives them: asking for them gives no probe to the configuration.
    static func protocols(of configuration: URLSessionConfiguration) -> [AnyClass]? {
      let original = state.withLock { unsafe $0.original }
      guard let original = unsafe original else { return configuration.protocolClasses }
      return unsafe unsafeBitCast(original, to: Getter.self)(configuration, selector) as? [AnyClass]
    }

    /// Called before the protocols of a configuration are read.
    private static func willRead(_ configuration: URLSessionConfiguration) {
      guard let probe = state.withLock({ $0.probe }), isWithout(protocols(of: configuration)) else { return }
      probe.inject(into: configuration)
    }
  }
#else
  extension EverySession {
    static func start(for probe: TrafficProbe) -> Bool { false }

    static func stop(for probe: TrafficProbe) {}

    static func protocols(of configuration: URLSessionConfiguration) -> [AnyClass]? { configuration.protocolClasses }
  }
#endif
