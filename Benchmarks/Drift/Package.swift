// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Drift",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../..")],
  targets: [
    .testTarget(
      name: "DriftBenchmark",
      dependencies: [
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "DriftExploration", package: "swift-contract-testing"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
