// swift-tools-version: 6.2
import PackageDescription

/// `SNIFFER_STRICT=1` (set by CI) turns every warning of our own targets into an error. It is not the default,
/// so that a newer compiler's new warning does not keep a user from building.
let strict = Context.environment["SNIFFER_STRICT"] != nil

let settings: [SwiftSetting] =
  [.swiftLanguageMode(.v6), .strictMemorySafety()] + (strict ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "sniffer",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "sniffer", targets: ["Sniffer"]),
    .library(name: "HTTPReassembly", targets: ["HTTPReassembly", "ContentCodings", "Capture"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // C, as system libraries only.
    .systemLibrary(
      name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap0.8-dev"]), .brew(["libpcap"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(name: "CCap", pkgConfig: "libcap", providers: [.apt(["libcap-dev"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),

    // The flow of data, in its order: packets, the core, what the core counts, reports, the command line.
    .target(
      name: "Capture", dependencies: ["CPcap", "CZlib", "CZstd", "HTTPReassembly"], swiftSettings: settings),
    .target(
      name: "HTTPReassembly", dependencies: [.product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .target(
      name: "ContentCodings", dependencies: ["CBrotli", "CZlib", "CZstd", "HTTPReassembly"],
      swiftSettings: settings),
    .target(
      name: "Reports",
      dependencies: ["HTTPReassembly"],
      swiftSettings: settings),
    .target(
      name: "MetricsEndpoint",
      dependencies: [
        "HTTPReassembly",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "Sniffer",
      dependencies: [
        .target(name: "CCap", condition: .when(platforms: [.linux])), "CSodium", "Capture", "ContentCodings",
        "HTTPReassembly", "MetricsEndpoint", "Reports",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["Capture", "ContentCodings", "HTTPReassembly"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "CaptureTests", dependencies: ["Capture", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HTTPReassemblyTests", dependencies: ["HTTPReassembly", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ContentCodingsTests", dependencies: ["ContentCodings", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ReportsTests", dependencies: ["Reports", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "MetricsEndpointTests",
      dependencies: [
        "HTTPReassembly", "MetricsEndpoint", .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Capture", "ContentCodings", "HTTPReassembly", "TestSupport"],
      exclude: ["disagreements.csv"], swiftSettings: settings),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport"], swiftSettings: settings),
  ]
)
