// swift-tools-version: 6.2
import PackageDescription

// The library TrafficProbe alone, for apps: the package at the root of the repository resolves what a command-line tool needs,
// a web server among it. The sources are those of the root, by symbolic links.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .strictMemorySafety()]

let package = Package(
  name: "TrafficProbe",
  // The two are of the same year. The code uses nothing newer.
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.library(name: "TrafficProbe", targets: ["TrafficProbe"])],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "Shared", dependencies: ["CZlib"], swiftSettings: settings),
    .target(
      name: "TrafficProbe",
      dependencies: ["Shared", .product(name: "GRDB", package: "GRDB.swift")],
      resources: [.copy("PrivacyInfo.xcprivacy")],
      swiftSettings: settings),
  ]
)
