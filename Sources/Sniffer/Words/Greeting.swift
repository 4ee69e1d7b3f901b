/// The output of `sniffer` without arguments: the first steps.
enum Greeting {
  static let text = """
    sniffer counts the bytes of each HTTP API of an app, from packets alone, to the byte.

      sniffer capture.pcap                           which APIs cost most, and why
      sniffer capture.pcap --keys keys.log           the same over TLS
      sniffer capture.pcap -o report --format html   a page to look at
      sudo sniffer top -i eth0                       live, on an interface

    No capture yet?   sniffer guide      how to make one, and a key log, on your platform
    All commands:     sniffer --help

    """
}
