// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "KeyValue",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../..")],
  targets: [
    .target(name: "KeyValue"),
    .target(
      name: "KeyValueEtcd",
      dependencies: [
        "KeyValue",
        .product(name: "TransportCurlAdapter", package: "swift-contract-testing"),
        .product(name: "TransportPort", package: "swift-contract-testing"),
      ]),
    .testTarget(
      name: "KeyValueTests",
      dependencies: [
        "KeyValue", "KeyValueEtcd",
        .product(name: "ContractExploration", package: "swift-contract-testing"),
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "ScriptedOrigin", package: "swift-contract-testing"),
        .product(name: "ServerFixtures", package: "swift-contract-testing"),
        .product(name: "TransportPort", package: "swift-contract-testing"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
