/// What a reader takes for possible, in octets. A length beyond it is damage, and is not allocated for.
package enum CaptureLimits {
  /// Captured octets of one packet: 64 times the largest snapshot length of tcpdump and Wireshark for networks.
  package static let packet = 16 << 20
  /// One pcapng block that must be seen whole: a packet, and as much again as Wireshark writes in options.
  package static let block = packet + (1 << 20)
  /// Interfaces of one pcapng section; each costs memory for as long as the section lasts.
  package static let interfaces = 1 << 16
  /// Name records waiting to be taken; what comes beyond them is forgotten.
  package static let waitingNames = 1 << 16
}
