// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "swift-contract-testing",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ContractTesting", targets: ["ContractTesting"]),
    .library(name: "ContractEvidence", targets: ["ContractEvidence"]),
    .library(name: "ContractExploration", targets: ["ContractExploration"]),
    .executable(name: "contracts", targets: ["contracts"]),

    .library(name: "CookiePort", targets: ["CookiePort"]),
    .library(name: "CookieSQLiteAdapter", targets: ["CookieSQLiteAdapter"]),
    .library(name: "CookieFoundationAdapter", targets: ["CookieFoundationAdapter"]),
    .library(name: "CookiePublicSuffixAdapter", targets: ["CookiePublicSuffixAdapter"]),
    .library(name: "CookieContract", targets: ["CookieContract"]),
    .library(name: "CookieHistories", targets: ["CookieHistories"]),

    .library(name: "TransportPort", targets: ["TransportPort"]),
    .library(name: "TransportCurlAdapter", targets: ["TransportCurlAdapter"]),
    .library(name: "TransportURLSessionAdapter", targets: ["TransportURLSessionAdapter"]),
    .library(name: "TransportContract", targets: ["TransportContract"]),
    .library(name: "ScriptedOrigin", targets: ["ScriptedOrigin"]),

    .library(name: "FeedbackPort", targets: ["FeedbackPort"]),
    .library(name: "FeedbackContract", targets: ["FeedbackContract"]),
    .library(name: "AnalyticsPort", targets: ["AnalyticsPort"]),
    .library(name: "AnalyticsContract", targets: ["AnalyticsContract"]),
    .library(name: "CheckoutPort", targets: ["CheckoutPort"]),
    .library(name: "CheckoutContract", targets: ["CheckoutContract"]),
    .library(name: "PreferencesPort", targets: ["PreferencesPort"]),
    .library(name: "PreferencesContract", targets: ["PreferencesContract"]),
    .library(name: "VendorSDK", targets: ["VendorSDK"]),
    .library(name: "VendorAdapters", targets: ["VendorAdapters"]),
  ],
  targets: [
    // The harness: what a run leaves, and what runs it.
    .target(name: "ContractLocks"),
    .target(name: "ContractEvidence", dependencies: ["ContractLocks"]),
    .target(name: "CDispatchWatch"),
    .target(name: "ContractExploration", dependencies: ["CDispatchWatch", "ContractLocks"]),
    .target(
      name: "ContractTesting",
      dependencies: ["ContractLocks", "ContractEvidence", "ContractExploration"]),
    .systemLibrary(name: "CGetopt"),
    .executableTarget(
      name: "contracts",
      dependencies: ["ContractEvidence", "ContractExploration", "CookieHistories", "CGetopt"]),
    .testTarget(name: "LocksTests", dependencies: ["ContractLocks"]),
    .testTarget(name: "EvidenceTests", dependencies: ["ContractEvidence"]),
    .testTarget(
      name: "ExplorationTests",
      dependencies: ["ContractLocks", "ContractExploration", "example-writer"]),
    .executableTarget(
      name: "example-writer", dependencies: ["ContractExploration"], path: "Tests/ExampleWriter"),
    .testTarget(
      name: "HarnessTests",
      dependencies: ["ContractLocks", "ContractTesting", "ContractEvidence", "ContractExploration"]),
    .testTarget(
      name: "CommandLineTests", dependencies: ["contracts", "ContractEvidence"],
      exclude: ["Planted"]),

    // Cookies.
    .target(name: "CookiePort", dependencies: ["ContractLocks"]),
    .systemLibrary(
      name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
    .target(name: "CookiePublicSuffixAdapter", dependencies: ["CPSL", "CookiePort"]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CookieSQLiteAdapter", dependencies: ["ContractLocks", "CookiePort", "CSQLite"]),
    .target(name: "CookieFoundationAdapter", dependencies: ["ContractLocks", "CookiePort"]),
    .target(
      name: "CookieHistories", dependencies: ["ContractExploration", "CookiePort"],
      path: "ContractSuites/CookieHistories"),
    .target(
      name: "CookieContract",
      dependencies: [
        "ContractLocks", "ContractExploration", "ContractTesting", "CookieHistories", "CookiePort",
      ],
      path: "ContractSuites/CookieContract"),
    .testTarget(name: "CookiePortTests", dependencies: ["ContractLocks", "CookiePort"]),
    .testTarget(
      name: "CookiePublicSuffixAdapterTests",
      dependencies: ["CookiePort", "CookiePublicSuffixAdapter"]),
    .testTarget(
      name: "CookieSQLiteAdapterTests",
      dependencies: ["ContractLocks", "CSQLite", "CookieSQLiteAdapter", "cookie-store-writer"]),
    .executableTarget(
      name: "cookie-store-writer", dependencies: ["CookieSQLiteAdapter"],
      path: "Tests/CookieStoreWriter"),
    .testTarget(
      name: "CookieFoundationAdapterTests",
      dependencies: ["CookiePort", "foundation-cookie-keeper"]),
    .executableTarget(
      name: "foundation-cookie-keeper", dependencies: ["CookieFoundationAdapter", "CookiePort"],
      path: "Tests/FoundationCookieKeeper"),
    .testTarget(
      name: "CookieHistoriesTests",
      dependencies: ["ContractExploration", "CookieHistories", "CookiePort"]),

    // HTTP transport.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .target(name: "TransportPort", dependencies: ["ContractLocks", "CZlib", "CBrotli"]),
    .target(name: "ContractThreads"),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .target(
      name: "TransportCurlAdapter",
      dependencies: ["ContractLocks", "CCurl", "ContractThreads", "TransportPort"]),
    .target(
      name: "TransportURLSessionAdapter", dependencies: ["ContractLocks", "TransportPort"]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CSlowNames", path: "ContractSuites/CSlowNames"),
    .target(
      name: "ScriptedOrigin",
      dependencies: [
        "ContractLocks", "COpenSSL", "CSlowNames", "ContractThreads", "TransportPort",
      ],
      path: "ContractSuites/ScriptedOrigin"),
    .target(
      name: "TransportContract",
      dependencies: ["ContractLocks", "ContractTesting", "ScriptedOrigin", "TransportPort"],
      path: "ContractSuites/TransportContract"),
    .testTarget(
      name: "TransportPortTests", dependencies: ["ContractLocks", "TransportPort", "CZlib"]),
    .testTarget(
      name: "TransportCurlAdapterTests",
      dependencies: ["ContractLocks", "ScriptedOrigin", "TransportCurlAdapter", "TransportPort"]),
    .testTarget(
      name: "TransportURLSessionAdapterTests",
      dependencies: ["ScriptedOrigin", "TransportPort", "TransportURLSessionAdapter"]),
    .testTarget(
      name: "ScriptedOriginTests", dependencies: ["COpenSSL", "ScriptedOrigin", "TransportPort"]),

    // An app around a vendor's SDK.
    .target(name: "VendorSDK", dependencies: ["ContractLocks"]),
    .target(
      name: "VendorAdapters",
      dependencies: ["ContractLocks", "VendorSDK", "FeedbackPort", "AnalyticsPort"]),
    .target(name: "FeedbackPort", dependencies: ["ContractLocks"]),
    .target(
      name: "FeedbackContract", dependencies: ["ContractLocks", "FeedbackPort", "ContractTesting"],
      path: "ContractSuites/FeedbackContract"),
    .target(name: "AnalyticsPort", dependencies: ["ContractLocks"]),
    .target(
      name: "AnalyticsContract",
      dependencies: ["ContractLocks", "AnalyticsPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/AnalyticsContract"),
    .target(name: "CheckoutPort", dependencies: ["ContractLocks"]),
    .target(
      name: "CheckoutContract",
      dependencies: ["ContractLocks", "CheckoutPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/CheckoutContract"),
    .target(name: "PreferencesPort", dependencies: ["ContractLocks"]),
    .target(
      name: "PreferencesContract",
      dependencies: ["PreferencesPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/PreferencesContract"),
    .testTarget(name: "VendorSDKTests", dependencies: ["ContractLocks", "VendorSDK"]),
    .testTarget(
      name: "VendorAdaptersTests", dependencies: ["ContractLocks", "VendorAdapters", "VendorSDK"]),
    .testTarget(name: "FeedbackPortTests", dependencies: ["FeedbackPort"]),
    .testTarget(name: "FeedbackContractTests", dependencies: ["FeedbackContract"]),
    .testTarget(name: "AnalyticsPortTests", dependencies: ["AnalyticsPort"]),
    .testTarget(name: "CheckoutPortTests", dependencies: ["ContractLocks", "CheckoutPort"]),
    .testTarget(name: "PreferencesPortTests", dependencies: ["PreferencesPort"]),

    // Every contract on every implementation.
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "ContractLocks",
        "AnalyticsContract",
        "AnalyticsPort",
        "CheckoutContract",
        "CheckoutPort",
        "ContractExploration",
        "ContractTesting",
        "CookieContract",
        "CookieFoundationAdapter",
        "CookiePort",
        "CookiePublicSuffixAdapter",
        "CookieSQLiteAdapter",
        "FeedbackContract",
        "FeedbackPort",
        "PreferencesContract",
        "PreferencesPort",
        "TransportContract",
        "TransportCurlAdapter",
        "TransportPort",
        "TransportURLSessionAdapter",
        "VendorAdapters",
        "VendorSDK",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
