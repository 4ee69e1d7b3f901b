/// Limits of the lengths and numbers that a reader accepts or keeps. A length beyond `packet` or `block` is damage, and no memory
/// is allocated for it.
package enum CaptureLimits {
  /// Captured octets of one packet: 64 times the largest snapshot length of tcpdump and Wireshark for networks.
  package static let packet = 16 << 20
  /// Octets of a pcapng block that must be seen whole: a packet, and as much again as Wireshark writes in options.
  package static let block = packet + (1 << 20)
  /// Interfaces of one pcapng section; each costs memory for as long as the section lasts.
  package static let interfaces = 1 << 16

  // MARK: Events that wait to be taken

  /// Waiting name records; later ones are dropped.
  package static let waitingNames = 1 << 16
  /// Octets of a name: the limit of RFC 1035 §2.3.4 for a DNS name. A longer text is not a name.
  package static let nameLength = 255
  /// Waiting apps; later ones are dropped. A device has some hundred.
  package static let waitingApps = 1 << 12
  /// Waiting secrets blocks; later ones are dropped.
  package static let waitingSecrets = 1 << 12
  /// Octets of all waiting secrets blocks together: the TLS key log of some 15,000 connections.
  package static let waitingSecretsOctets = 16 << 20

  // MARK: Numbers of `PacketOrigin`, for all captures of a series

  /// Interfaces with a number: more than a machine full of containers has.
  package static let numberedInterfaces = 1 << 12
  /// Processes with a number: more than a machine runs at a time.
  package static let numberedProcesses = 1 << 13
  /// Processes that one pcapng section describes; later ones have no number there.
  package static let processes = 1 << 16
  /// Comments with a number: as many as fit. Those that name processes repeat, but there can be many short processes.
  package static let numberedComments = (1 << 13) - 1
  /// Octets of all comments with a number, together: those that name processes have some 400.
  package static let commentOctets = 4 << 20
  /// Octets of a comment with a number: those that name a process and its arguments are shorter.
  package static let commentLength = 1 << 11
  /// Octets of an interface's or a process' name, and of a description: beyond the limits of systems.
  package static let originTextLength = 255
  /// Octets of a program's path: the `MAXPATHLEN` of macOS.
  package static let programPathLength = 1024
}
