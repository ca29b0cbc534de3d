// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "swift-contract-testing",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ContractTesting", targets: ["ContractTesting"]),
    .library(name: "ContractEvidence", targets: ["ContractEvidence"]),
    .library(name: "ContractExploration", targets: ["ContractExploration"]),
    .library(name: "CookiePort", targets: ["CookiePort"]),
    .library(name: "TransportPort", targets: ["TransportPort"]),

    // Transport over libcurl, and the origin that it is tested against.
    .library(name: "TransportCurlAdapter", targets: ["TransportCurlAdapter"]),
    .library(name: "ScriptedOrigin", targets: ["ScriptedOrigin"]),
  ],
  targets: [
    // The harness.
    .target(name: "ContractEvidence"),
    .target(name: "ContractExploration"),
    .target(name: "ContractTesting", dependencies: ["ContractEvidence", "ContractExploration"]),

    // Cookies.
    .target(name: "CookiePort"),

    // Transport: the port, its policies and its fake.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .target(name: "TransportPort", dependencies: ["CZlib", "CBrotli"]),
    .testTarget(name: "TransportPortTests", dependencies: ["TransportPort", "CZlib"]),

    // Transport over libcurl, and the origin that it is tested against.
    .target(name: "Threads"),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .target(
      name: "TransportCurlAdapter", dependencies: ["CCurl", "Threads", "TransportPort"]),
    .testTarget(
      name: "TransportCurlAdapterTests",
      dependencies: ["ScriptedOrigin", "TransportCurlAdapter", "TransportPort"]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CSlowNames", path: "ContractSuites/CSlowNames"),
    .target(
      name: "ScriptedOrigin",
      dependencies: ["COpenSSL", "CSlowNames", "Threads", "TransportPort"],
      path: "ContractSuites/ScriptedOrigin"),
    .testTarget(
      name: "ScriptedOriginTests", dependencies: ["COpenSSL", "ScriptedOrigin", "TransportPort"]),
  ],
  swiftLanguageModes: [.v6]
)
