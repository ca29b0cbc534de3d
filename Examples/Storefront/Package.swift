// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Storefront",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "swift-contract-testing", path: "../..")],
  targets: [
    .target(
      name: "Storefront",
      dependencies: [
        .product(name: "AnalyticsPort", package: "swift-contract-testing"),
        .product(name: "CookiePort", package: "swift-contract-testing"),
        .product(name: "CookieTransportAdapter", package: "swift-contract-testing"),
        .product(name: "FeedbackPort", package: "swift-contract-testing"),
        .product(name: "TransportPort", package: "swift-contract-testing"),
      ]),
    .testTarget(
      name: "StorefrontTests",
      dependencies: [
        "Storefront",
        .product(name: "ContractExploration", package: "swift-contract-testing"),
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "DriftExploration", package: "swift-contract-testing"),
        .product(name: "CookieContract", package: "swift-contract-testing"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
