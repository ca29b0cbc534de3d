// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "..")],
  targets: [
    // Exploration: interleavings.
    .executableTarget(
      name: "InterleavingBenchmark",
      dependencies: [.product(name: "ContractExploration", package: "swift-contract-testing")])
  ],
  swiftLanguageModes: [.v6]
)
