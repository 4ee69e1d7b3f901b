import Foundation

/// What Linux says of a program that runs: whether it has read what there is, and waits. Elsewhere nobody says so, and a second has to do.
extension RunningCommand {
  #if os(Linux)
    private var folder: String { "/proc/\(identifier)" }

    private func text(_ name: String) -> String {
      (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }

    private func names(_ name: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []
    }

    /// The value of a line `name: value`.
    private func value(_ name: String, in text: String) -> Substring? {
      text.split(separator: "\n").first { $0.hasPrefix(name + ":") }.flatMap {
        $0.split(whereSeparator: \.isWhitespace).last
      }
    }

    /// Whether every thread sleeps. One that has something to do does not, however busy the machine is.
    private var isAsleep: Bool {
      let threads = names("task")
      return !threads.isEmpty
        && threads.allSatisfy { text("task/\($0)/status").contains("\nState:\tS") }
    }
  #endif

  /// Waits until the program waits itself. False when it ends.
  func waits() -> Bool {
    #if os(Linux)
      // Threads are not looked at at the same moment: one that hands something over is awake at one of three looks.
      var looks = 0
      return eventually {
        looks = isAsleep ? looks + 1 : 0
        return looks == 3 || !isRunning
      } && isRunning
    #else
      Thread.sleep(forTimeInterval: 1)
      return isRunning
    #endif
  }

  /// Waits until the program has read all that is in a file that it follows, and waits for more. False when it ends.
  func hasRead(_ file: GrowingFile) -> Bool {
    #if os(Linux)
      let hasRead = eventually {
        guard let descriptor = names("fd").first(where: { isDescriptor($0, of: file.path) }) else { return !isRunning }
        return value("pos", in: text("fdinfo/\(descriptor)")).map(String.init) == "\(file.length)"
      }
      return hasRead && waits()
    #else
      return waits()
    #endif
  }

  /// Waits until a file that is followed was looked at some more times, of which nothing came. False when the program ends.
  func looksAgain() -> Bool {
    #if os(Linux)
      // It sleeps after each look.
      func sleeps() -> Int { value("voluntary_ctxt_switches", in: text("status")).flatMap { Int($0) } ?? 0 }
      let before = sleeps()
      return eventually { sleeps() >= before + 5 || !isRunning } && isRunning
    #else
      return waits()
    #endif
  }

  /// Waits until the program handles a signal itself. False when it ends.
  func handles(_ signal: Int32) -> Bool {
    #if os(Linux)
      return eventually {
        let mask = value("SigCgt", in: text("status")).flatMap { UInt64($0, radix: 16) } ?? 0
        return mask & 1 << UInt64(signal - 1) != 0 || !isRunning
      } && isRunning
    #else
      return waits()
    #endif
  }

  #if os(Linux)
    private func isDescriptor(_ name: String, of path: String) -> Bool {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(name)")) == path
    }
  #endif
}
