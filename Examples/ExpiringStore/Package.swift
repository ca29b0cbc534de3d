// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ExpiringStore",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CHiredis",
      providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    .target(
      name: "ExpiringStoreRedis",
      dependencies: [
        "CHiredis", .product(name: "ExpiringStorePort", package: "swift-contract-testing"),
      ]),
    .testTarget(
      name: "ExpiringStoreTests",
      dependencies: [
        "ExpiringStoreRedis",
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "DriftExploration", package: "swift-contract-testing"),
        .product(name: "ExpiringStoreContract", package: "swift-contract-testing"),
        .product(name: "ExpiringStorePort", package: "swift-contract-testing"),
        .product(name: "ExpiringStoreSQLiteAdapter", package: "swift-contract-testing"),
        .product(name: "ServerFixtures", package: "swift-contract-testing"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
