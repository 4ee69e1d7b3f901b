import ArgumentParser
import Capture
import Reports
import Tabular

/// `sniffer interfaces`
struct InterfacesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "interfaces",
    abstract: "List the interfaces for captures, and whether this user may capture on them.")

  func run() throws {
    Privileges.keepForCapture()
    let interfaces: [NetworkInterface]
    do throws(CaptureError) { interfaces = try NetworkInterface.all() } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    var text = ""
    for interface in interfaces {
      let state = [
        interface.isUp ? "up" : "down", interface.isRunning ? "running" : nil,
        interface.isLoopback ? "loopback" : nil, interface.isWireless ? "wireless" : nil,
      ].compactMap(\.self).joined(separator: ", ")
      text += "\(interface.name): \(state)"
      if let details = interface.details { text += " (\(details))" }
      text += "\n"
      for address in interface.addresses { text += "  \(address)\n" }
      text += interface.refusal.map { "  cannot be captured on: \($0)\n" } ?? "  can be captured on\n"
    }
    if let refusal = interfaces.compactMap(\.refusal).first, interfaces.allSatisfy({ !$0.allowsCapture }) {
      text += "\n\(refusal)\n"
    }
    do throws(ReportError) { try StandardOutput.write(text) } catch {
      throw ExitCode(ErrorOutput.report(error).rawValue)
    }
  }
}
