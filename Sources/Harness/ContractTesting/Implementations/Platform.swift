import CPlatform

/// A set of operating systems.
public struct Platform: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Linux.
  public static let linux = Platform(rawValue: 1)
  /// macOS.
  public static let macOS = Platform(rawValue: 2)
  /// iOS, iPadOS, tvOS, watchOS and visionOS.
  public static let appleMobile = Platform(rawValue: 4)
  /// Any other system.
  public static let others = Platform(rawValue: 8)

  /// Apple's systems.
  public static let apple: Platform = [.macOS, .appleMobile]
  /// Every system.
  public static let all: Platform = [.linux, .apple, .others]

  /// The system that this code was built for.
  public static var current: Platform {
    switch OperatingSystem.current {
    case .linux: .linux
    case .macOS: .macOS
    case .appleMobile: .appleMobile
    case .other: .others
    }
  }

  /// The current system's name in journals.
  static var currentName: String {
    switch current {
    case .linux: "linux"
    case .macOS: "macos"
    case .appleMobile: "apple-mobile"
    default: "other"
    }
  }
}
