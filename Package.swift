// swift-tools-version: 6.2
import PackageDescription

/// `SNIFFER_STRICT=1` (set by CI) turns every warning of our own targets into an error. It is not the default,
/// so that a newer compiler's new warning does not keep a user from building.
let strict = Context.environment["SNIFFER_STRICT"] != nil

let settings: [SwiftSetting] =
  [.swiftLanguageMode(.v6), .strictMemorySafety()] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// Tests are built beside the program, with the same optimized libraries. Their own code runs once: to optimize it would take longer than it
/// saves.
let testSettings = settings + [.unsafeFlags(["-Onone"])]

#if os(macOS)
  // The libpcap of the SDK: it alone opens `pktap` interfaces, whose packets name their process.
  let pcap: Target = .systemLibrary(name: "CPcap")
#else
  let pcap: Target = .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap0.8-dev"])])
#endif

let package = Package(
  name: "sniffer",
  // macOS 26 is the first whose runtime has `InlineArray`, in which the ledger, TLS and HTTP/2 keep octets without allocation; it does not
  // back-deploy, unlike `RawSpan`. Without it, `Mutex` and `Atomic` ask for macOS 15. TrafficProbe uses none of these, and its own package
  // asks for macOS 13. iOS is for TrafficProbe alone.
  platforms: [.macOS(.v26), .iOS(.v16)],
  products: [
    .executable(name: "sniffer", targets: ["Sniffer"]),
    .library(name: "HTTPReassembly", targets: ["Packets", "HTTPReassembly", "ContentCodings", "Capture"]),
    .library(name: "TrafficProbe", targets: ["TrafficProbe"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // C, as system libraries only.
    pcap,
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
    .systemLibrary(name: "CCap", pkgConfig: "libcap", providers: [.apt(["libcap-dev"])]),
    .systemLibrary(name: "CSocketOwners"),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CConfinement", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

    // What both sides need, the program and the library for apps.
    .target(name: "Shared", dependencies: ["CZlib"], swiftSettings: settings),
    .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: settings),

    // The flow of data, in its order: packets, the core, what the core counts, reports, the command line.
    .target(name: "Packets", swiftSettings: settings),
    .target(
      name: "Capture",
      dependencies: [
        "CPcap", "CZlib", "CZstd", "Packets", "Shared", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "HTTPReassembly",
      dependencies: [
        "CMalloc", "Cryptography", "Packets", "Shared",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "ContentCodings",
      dependencies: ["CBrotli", "CDeflate", "CZlib", "CZstd", "HTTPReassembly", "Packets", "Shared"],
      swiftSettings: settings),
    // How rows are written and files are made, for captures and reports alike; and how tables are read.
    .target(
      name: "Tabular",
      dependencies: [
        "CZlib", "CZstd", "Packets", "Shared", .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    // Parquet files, written.
    .target(name: "Parquet", dependencies: ["Packets", "Tabular"], swiftSettings: settings),
    // What an analysis of one capture leaves for one of many.
    .target(
      name: "Partials",
      dependencies: [
        "Capture", "HTTPReassembly", "Packets", "Tabular", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "TableReading",
      dependencies: [
        "Packets", "Shared", "Tabular", .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(
      name: "Estimates",
      dependencies: [
        "ContentCodings", "HTTPReassembly", "Shared", "TableReading", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(
      name: "Reports",
      dependencies: [
        "CPSL", "ContentCodings", "Cryptography", "HTTPReassembly", "Parquet", "Shared", "TableReading", "Tabular",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"), .product(name: "Yams", package: "Yams"),
      ],
      // The page's parts are in the program itself, so that it needs no file beside it.
      resources: [.embedInCode("HTML/Page")],
      swiftSettings: settings),
    // What the commands `models` and `verify` report.
    .target(
      name: "EstimateReports", dependencies: ["Estimates", "HTTPReassembly", "Reports", "Tabular"],
      swiftSettings: settings),
    .target(
      name: "MetricsEndpoint",
      dependencies: [
        "HTTPReassembly", "Shared",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "ProcessConfinement",
      dependencies: [
        .target(name: "CCap", condition: .when(platforms: [.linux])),
        .target(name: "CConfinement", condition: .when(platforms: [.linux])), "Shared",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Which process has which connection, on Linux: asked by a helper of the live run.
    .target(
      name: "SocketOwners",
      dependencies: ["Packets", .target(name: "CSocketOwners", condition: .when(platforms: [.linux]))],
      swiftSettings: settings),
    .executableTarget(
      name: "Sniffer",
      dependencies: [
        "Capture", "ContentCodings", "Cryptography",
        "EstimateReports", "Estimates", "HTTPReassembly", "MetricsEndpoint", "Partials", "ProcessConfinement",
        "Reports",
        "Shared", "SocketOwners", "TableReading", "Tabular",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),

    // For apps: it uses Shared alone, and nothing above uses it.
    .target(
      name: "TrafficProbe",
      dependencies: ["Shared", .product(name: "GRDB", package: "GRDB.swift")],
      resources: [.copy("PrivacyInfo.xcprivacy")],
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["Capture", "ContentCodings", "Cryptography", "HTTPReassembly"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(
      name: "FuzzTargets", dependencies: ["Capture", "ContentCodings", "Estimates", "HTTPReassembly", "TestSupport"],
      path: "Fuzz/Targets", swiftSettings: settings),
    .testTarget(name: "SocketOwnersTests", dependencies: ["Packets", "SocketOwners"], swiftSettings: testSettings),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "HouseTests",
      dependencies: [
        "Capture", "ContentCodings", "EstimateReports", "Estimates", "HTTPReassembly", "MetricsEndpoint", "Parquet",
        "Partials", "Reports", "Shared", "TableReading", "Tabular", "TrafficProbe",
      ],
      swiftSettings: testSettings),
    .testTarget(name: "SharedTests", dependencies: ["Shared"], swiftSettings: testSettings),
    .testTarget(
      name: "ParquetTests",
      dependencies: [
        "CZstd", "Parquet", "Tabular", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "PartialsTests",
      dependencies: ["Capture", "ContentCodings", "HTTPReassembly", "Packets", "Partials", "Tabular", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], swiftSettings: testSettings),
    .testTarget(
      name: "CaptureTests", dependencies: ["Capture", "Shared", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "HTTPReassemblyTests", dependencies: ["HTTPReassembly", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "ContentCodingsTests", dependencies: ["ContentCodings", "Shared", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "EstimatesTests",
      dependencies: [
        "Estimates", "ContentCodings", "HTTPReassembly", "Shared", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Logs/Fixtures"], swiftSettings: testSettings),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "EstimateReports", "Estimates", "Reports", "Shared", "TableReading", "Tabular", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "MetricsEndpointTests",
      dependencies: [
        "HTTPReassembly", "MetricsEndpoint", "Shared", "TestSupport",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Capture", "ContentCodings", "HTTPReassembly", "TestSupport"],
      exclude: ["disagreements.csv"], swiftSettings: testSettings),
    // An app of TrafficProbe's: TrafficProbeTests and EndToEndTests run it.
    .executableTarget(
      name: "probe-client", dependencies: ["TrafficProbe"], path: "Tests/ProbeClient", swiftSettings: settings),
    // A client library that knows of no probe: TrafficProbeTests meter its sessions.
    .target(name: "SessionClient", path: "Tests/SessionClient", swiftSettings: settings),
    .testTarget(
      name: "TrafficProbeTests",
      dependencies: ["SessionClient", "TrafficProbe", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: testSettings),
    // Confines itself as a run does, and tries to break out: EndToEndTests run it.
    .executableTarget(
      name: "ConfinementAttempts",
      dependencies: [
        .target(name: "CConfinement", condition: .when(platforms: [.linux])), "Capture", "ProcessConfinement",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/ConfinementAttempts", swiftSettings: settings),
    .testTarget(
      name: "EndToEndTests", dependencies: ["Shared", "TestSupport"],
      exclude: [
        "Models/model_witness.py", "Packaging/completions.py", "Page/browser.py", "Page/savings_witness.py",
        "Probe/probe-server.py",
      ],
      swiftSettings: testSettings),
  ]
)

/// `SNIFFER_FUZZ=1` (set by `make fuzz`) adds the program that libFuzzer drives, which links with its sanitizer only.
if Context.environment["SNIFFER_FUZZ"] != nil {
  package.targets += [
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Driver",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-seeds", dependencies: ["FuzzTargets"],
      path: "Fuzz/Seeds", exclude: ["content"], swiftSettings: settings),
    .executableTarget(
      name: "fuzz-mutants", dependencies: ["TestSupport"], path: "Fuzz/Mutants", swiftSettings: settings),
  ]
}
