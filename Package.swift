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
    // An app around a vendor's SDK.
    .library(name: "VendorSDK", targets: ["VendorSDK"]),
    .library(name: "VendorAdapters", targets: ["VendorAdapters"]),
    .library(name: "FeedbackPort", targets: ["FeedbackPort"]),
    .library(name: "FeedbackContract", targets: ["FeedbackContract"]),
    .library(name: "AnalyticsPort", targets: ["AnalyticsPort"]),
    .library(name: "AnalyticsContract", targets: ["AnalyticsContract"]),
    .library(name: "CheckoutPort", targets: ["CheckoutPort"]),
    .library(name: "CheckoutContract", targets: ["CheckoutContract"]),
    .library(name: "PreferencesPort", targets: ["PreferencesPort"]),
    .library(name: "PreferencesContract", targets: ["PreferencesContract"]),
  ],
  targets: [
    // The harness.
    .target(name: "ContractEvidence"),
    .target(name: "ContractExploration"),
    .target(name: "ContractTesting", dependencies: ["ContractEvidence", "ContractExploration"]),
    //EV .testTarget(name: "EvidenceTests", dependencies: ["ContractEvidence"]),
    .testTarget(name: "HarnessTests", dependencies: ["ContractTesting", "ContractEvidence"]),

    // Cookies.
    .target(name: "CookiePort"),

    // An app around a vendor's SDK.
    .target(name: "VendorSDK"),
    .target(name: "FeedbackPort"),
    .target(name: "AnalyticsPort"),
    .target(name: "VendorAdapters", dependencies: ["VendorSDK", "FeedbackPort", "AnalyticsPort"]),
    .target(name: "PreferencesPort"),
    .target(name: "CheckoutPort"),
    .target(
      name: "FeedbackContract", dependencies: ["FeedbackPort", "ContractTesting"],
      path: "ContractSuites/FeedbackContract"),
    .target(
      name: "AnalyticsContract", dependencies: ["AnalyticsPort", "ContractTesting"],
      path: "ContractSuites/AnalyticsContract"),
    .target(
      name: "CheckoutContract", dependencies: ["CheckoutPort", "ContractTesting"],
      path: "ContractSuites/CheckoutContract"),
    .target(
      name: "PreferencesContract", dependencies: ["PreferencesPort", "ContractTesting"],
      path: "ContractSuites/PreferencesContract"),

    // Every contract on every implementation.
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "ContractTesting", "VendorSDK", "VendorAdapters", "FeedbackPort", "FeedbackContract",
        "AnalyticsPort", "AnalyticsContract", "CheckoutPort", "CheckoutContract",
        "PreferencesPort", "PreferencesContract",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
