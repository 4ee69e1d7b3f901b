#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The session and the queue of an app's task.
  ///
  /// FoundationNetworking hides both, and both are needed. The session's delegate must be asked about a redirect, on its queue.
  /// The client of a protocol may be called only on the task's work queue, where the session keeps its state. A call from
  /// elsewhere ends the process when a task has just been cancelled. So both are looked up by reflection, which only reads.
  ///
  /// A load whose queue is not found goes through the system's own protocol (`PassThrough`).
  enum AppSession {
    static func of(_ task: URLSessionTask) -> URLSession? { Reflected.value("session", of: task) }

    static func workQueue(of task: URLSessionTask) -> DispatchQueue? { Reflected.value("workQueue", of: task) }
  }

  /// Hidden properties of the system's objects.
  enum Reflected {
    /// The stored property with this name, of the object's class or of a superclass; nil if there is none of this type.
    static func value<Value>(_ name: String, of object: AnyObject) -> Value? {
      var mirror: Mirror? = Mirror(reflecting: object)
      while let level = mirror {
        for child in level.children where child.label == name {
          if let value = child.value as? Value { return value }
        }
        mirror = level.superclassMirror
      }
      return nil
    }
  }
#endif
