import ArgumentParser

/// `sniffer live --interface IF`
struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Capture on interfaces with the same exact accounting, until SIGINT, SIGTERM, --duration or --packets.",
    discussion: """
      The devices are opened first; then privileges are given up, before any packet is read. Reports are brought up \
      to date at each interval and are complete at any moment. SIGUSR1 brings them up to date at once. SIGHUP starts files \
      anew that were moved away. A second SIGINT stops at once.

      Where the network card or the kernel joins or cuts segments (offload), packets are measured as captured. They are \
      fewer and larger than on the wire, so header overhead is smaller.
      """)

  @OptionGroup var live: LiveOptions

  func run() throws { try live.run() }
}
