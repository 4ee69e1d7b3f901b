import Capture
import Foundation
import ProcessConfinement

/// The spill file of a live run, for packets that do not fit into its memory, and the notices about it.
enum LiveSpill {
  /// The file: in the folder of the reports, else in the folder of the saved packets, else in `$TMPDIR`. A run without any of
  /// these writes nowhere. Nil without a file; the log has the reason if one was expected.
  static func file(_ command: LiveOptions) -> SpillFile? {
    guard command.spill > 0, let folder = folder(command) else { return nil }
    let logger = command.options.logger
    do throws(CaptureError) {
      let file = try SpillFile(in: folder, capacity: command.spill << 20)
      if file.capacity < command.spill << 20 {
        logger.info("the spill file in \(folder) may take \(file.capacity >> 20) MiB: half of what is free there")
      }
      return file
    } catch {
      logger.warning("no spill file, so that packets are dropped when memory for them is full: \(error.description)")
      return nil
    }
  }

  private static func folder(_ command: LiveOptions) -> String? {
    if let output = command.options.output, !command.options.isStreaming { return output }
    if let write = command.write {
      let path = Confinement.writtenPath(write)
      // A device's folder is not for other files.
      if path != write { return path }
    }
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return folder.isEmpty ? nil : folder
  }

  /// The notes in the summary; empty for a run that kept up.
  static func notes(_ backlog: CaptureBacklog, unanalysed: UInt64) -> [String] {
    var notes: [String] = []
    if backlog.mostSpilledPackets > 0 || backlog.longestDelay >= .seconds(1) {
      var text = "the analysis was behind by at most \(seconds(backlog.longestDelay)) s"
      if backlog.mostSpilledPackets > 0 {
        text += "; at most \(backlog.mostSpilledPackets) packets (\(backlog.mostSpilledOctets) bytes) waited on disk"
      }
      notes.append(text)
    }
    if unanalysed > 0 { notes.append("of the dropped packets, captured but never analyzed: \(unanalysed)") }
    return notes
  }

  /// The notice when a run that is behind has to end.
  static func ending(_ backlog: CaptureBacklog, patience: Duration) -> String {
    "capture ended \(seconds(backlog.delay)) s ahead of the analysis, which goes on for up to "
      + "\(patience.components.seconds) s; a second interrupt ends it at once"
  }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int64(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10)"
  }
}
