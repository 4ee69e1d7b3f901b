/// The ways to a capture and a key log, by platform: the one source of `sniffer guide` and of `docs/quick-start`.
enum Guide {
  /// A platform whose traffic is captured.
  enum Platform: String, CaseIterable {
    case ios
    case android
    case mac
    case linux
    case windows

    /// The name for people.
    var title: String {
      switch self {
      case .ios: "iPhone and iPad"
      case .android: "Android"
      case .mac: "Mac"
      case .linux: "Linux"
      case .windows: "Windows"
      }
    }
  }

  /// A thing that a way needs.
  enum Need: String, CaseIterable {
    case mac
    case usb
    case router
    case root
    case source
    case proxy

    /// The question for it.
    var question: String {
      switch self {
      case .mac: "a Mac beside it"
      case .usb: "a USB cable and adb"
      case .router: "a router or another machine on its way, by ssh"
      case .root: "root or sudo on it"
      case .source: "the app's source, to build it with a line more"
      case .proxy: "a proxy that it may trust (mitmproxy)"
      }
    }
  }

  /// A step: a line of text, and the commands or code of it.
  struct Step {
    let text: String
    var code: [String] = []
    /// The language of the code, for a page.
    var language = "sh"
  }

  /// A way to a capture, or to a key log.
  struct Way {
    let title: String
    /// The things it needs; it is shown when they are all at hand.
    var needs: [Need] = []
    let steps: [Step]
  }

  /// The ways to packets on a platform, the best first.
  static func captures(on platform: Platform) -> [Way] {
    switch platform {
    case .ios: [remoteInterface, router]
    case .android: [pcapdroid, rootedAndroid, router]
    case .mac: [ownInterface("en0")]
    case .linux: [ownInterface("eth0")]
    case .windows: [dumpcap, router]
    }
  }

  /// The ways to see inside of TLS on a platform, the best first.
  static func keys(on platform: Platform) -> [Way] {
    switch platform {
    case .ios: [appleKeys, proxy]
    case .android: [cronet, androidKeys, trust, proxy]
    case .mac: [browsers("open -a 'Google Chrome' --args"), curl, appleKeys, proxy]
    case .linux: [browsers("google-chrome"), curl, proxy]
    case .windows: [windowsBrowsers, proxy]
    }
  }

  /// The last step on every platform.
  static let last = Way(
    title: "Count",
    steps: [
      Step(
        text: "Pass the capture, and the key log if there is one:",
        code: ["sniffer capture.pcap --keys keys.log", "sniffer capture.pcap --keys keys.log -o report --format html"]),
      Step(text: "Without a key log each host still has its exact bytes: sniffer capture.pcap --by host"),
    ])

  // MARK: Captures

  private static let remoteInterface = Way(
    title: "Capture by USB, from a Mac", needs: [.mac],
    steps: [
      Step(text: "Connect the device, unlock it, and read its identifier in Finder or Xcode (Devices and Simulators)."),
      Step(
        text: "Make an interface of it, and capture until Control-C:",
        code: [
          "rvictl -s 00008110-000A1B2C3D4E5F60", "sudo tcpdump -i rvi0 -s 0 -w capture.pcap",
          "rvictl -x 00008110-000A1B2C3D4E5F60",
        ]),
    ])

  private static let pcapdroid = Way(
    title: "Capture on the phone, without root (PCAPdroid)",
    steps: [
      Step(
        text:
          "Install PCAPdroid, choose the app under Target apps, and PCAP file as the dump mode. Press start, use the app, stop."
      ),
      Step(text: "Fetch the file:", code: ["adb pull /sdcard/Download/PCAPdroid/app.pcap capture.pcap"]),
      Step(
        text: "TLS decryption in PCAPdroid's settings (mitm addon) also writes a key log: export it as SSLKEYLOGFILE."),
    ])

  private static let rootedAndroid = Way(
    title: "Capture on a rooted phone or an emulator", needs: [.usb, .root],
    steps: [
      Step(
        text:
          "tcpdump is on emulators already; push one to a phone. wlan0 is Wi-Fi. The first command names the interfaces:",
        code: [
          "adb shell ip route", "adb root", "adb shell tcpdump -i wlan0 -s 0 -w /sdcard/capture.pcap",
          "adb pull /sdcard/capture.pcap capture.pcap",
        ])
    ])

  private static let router = Way(
    title: "Capture on the way (a router by ssh)", needs: [.router],
    steps: [
      Step(
        text: "On a machine that the traffic passes, with the address of the device:",
        code: ["ssh root@192.0.2.1 tcpdump -i br-lan -s 0 -U -w - host 192.0.2.50 > capture.pcap"])
    ])

  private static let dumpcap = Way(
    title: "Capture on this machine (Wireshark's dumpcap)",
    steps: [
      Step(
        text:
          "Install Wireshark with Npcap. List the interfaces, capture on one until Control-C, and analyze on Linux, macOS or WSL:",
        code: ["dumpcap -D", "dumpcap -i 4 -w capture.pcapng"])
    ])

  private static func ownInterface(_ name: String) -> Way {
    Way(
      title: "Capture on this machine", needs: [.root],
      steps: [
        Step(
          text: "Find the interface, then watch its APIs, or save the packets until Control-C:",
          code: [
            "sniffer interfaces", "sudo sniffer top -i \(name)", "sudo tcpdump -i \(name) -s 0 -w capture.pcap",
          ])
      ])
  }

  // MARK: Keys

  private static func browsers(_ chrome: String) -> Way {
    Way(
      title: "Key log of a browser",
      steps: [
        Step(
          text: "Quit the browser first. Firefox and Chrome write their TLS keys to the file in SSLKEYLOGFILE:",
          code: [
            "export SSLKEYLOGFILE=$PWD/keys.log", "firefox --new-instance --profile $(mktemp -d)",
            "\(chrome) --ssl-key-log-file=$PWD/keys.log",
          ])
      ])
  }

  private static let windowsBrowsers = Way(
    title: "Key log of a browser",
    steps: [
      Step(
        text: "In a command prompt, with the browser closed:",
        code: [
          "set SSLKEYLOGFILE=%USERPROFILE%\\keys.log",
          "\"C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe\"",
        ], language: "bat")
    ])

  private static let curl = Way(
    title: "Key log of curl, Python and other programs with OpenSSL",
    steps: [
      Step(
        text: "curl writes keys by itself; Python's requests and httpx do with this variable, too:",
        code: ["SSLKEYLOGFILE=$PWD/keys.log curl https://www.example.com/"])
    ])

  private static let appleKeys = Way(
    title: "Key log of URLSession (an app of yours)", needs: [.mac, .source],
    steps: [
      Step(
        text:
          "URLSession ignores SSLKEYLOGFILE. On a Mac friTap sets the key-log callback of the system's BoringSSL in a debug build:",
        code: ["pip install fritap", "fritap -k keys.log MyApp"]),
      Step(
        text: "On a phone whose apps Frida may attach to:",
        code: ["fritap -m -k keys.log com.example.MyApp"]),
      Step(text: "Without Frida use a proxy, or a meter inside of the app (docs/traffic-probe.md)."),
    ])

  private static let androidKeys = Way(
    title: "Key log of OkHttp (an app of yours)", needs: [.usb, .root],
    steps: [
      Step(
        text:
          "OkHttp uses the system's Conscrypt, which has no key log. With frida-server on the phone friTap writes one:",
        code: ["pip install fritap", "fritap -m -k keys.log com.example.myapp"])
    ])

  private static let trust = Way(
    title: "A debug build that trusts a proxy (OkHttp and others)", needs: [.source, .proxy],
    steps: [
      Step(
        text: "In res/xml/network_security_config.xml, which the manifest names; then use the proxy below:",
        code: [
          "<network-security-config>", "  <debug-overrides>",
          "    <trust-anchors><certificates src=\"user\"/></trust-anchors>", "  </debug-overrides>",
          "</network-security-config>",
        ], language: "xml")
    ])

  private static let cronet = Way(
    title: "Key log of Cronet (an app of yours)", needs: [.source, .usb],
    steps: [
      Step(
        text: "Cronet has an experimental option for a key log:",
        code: [
          "new ExperimentalCronetEngine.Builder(context)",
          "    .setExperimentalOptions(\"{\\\"ssl_key_log_file\\\":\\\"\" + context.getFilesDir() + \"/keys.log\\\"}\")",
          "    .build();",
        ], language: "java"),
      Step(text: "Fetch it:", code: ["adb shell run-as com.example.myapp cat files/keys.log > keys.log"]),
    ])

  private static let proxy = Way(
    title: "A proxy with a key log (mitmproxy)", needs: [.proxy],
    steps: [
      Step(
        text: "Start it, set it as the device's proxy, and install its certificate from http://mitm.it:",
        code: ["SSLKEYLOGFILE=$PWD/keys.log mitmdump --listen-port 8080"]),
      Step(
        text:
          "Capture on its machine, on the interface to the device. For an app on that machine it is lo, on a Mac lo0:",
        code: ["sudo tcpdump -i eth0 -s 0 -w capture.pcap port 8080"]),
      Step(text: "The bytes are those between the app and the proxy. Apps that pin certificates refuse it."),
    ])
}
