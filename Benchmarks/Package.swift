// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "..")],
  targets: [
    // The libcurl transport, beside plain C on libcurl, URLSession, pycurl and aiohttp.
    .target(name: "TransportBaseline", linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "TransportBenchmark",
      dependencies: [
        "TransportBaseline",
        .product(name: "TransportPort", package: "swift-contract-testing"),
        .product(name: "TransportCurlAdapter", package: "swift-contract-testing"),
      ], exclude: ["Peers"]),
  ],
  swiftLanguageModes: [.v6]
)
