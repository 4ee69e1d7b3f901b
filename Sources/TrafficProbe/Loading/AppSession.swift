#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The session and the queue that a task of the app belongs to.
  ///
  /// FoundationNetworking keeps both to itself, but a redirect must be put to the session's delegate, on its queue; and the
  /// client of a protocol may be told something only on the task's work queue, where the session keeps its books: told from
  /// elsewhere, it ends the process when a task has just been cancelled. So both are looked up by reflection, which only
  /// reads. A load whose queue is not found goes through the system's own protocol (`PassThrough`).
  enum AppSession {
    static func of(_ task: URLSessionTask) -> URLSession? { Reflected.value("session", of: task) }

    static func workQueue(of task: URLSessionTask) -> DispatchQueue? { Reflected.value("workQueue", of: task) }
  }

  /// What an object of the system keeps to itself.
  enum Reflected {
    /// The stored property of this name, of the object's class or of one above it; nil if there is none of this type.
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
