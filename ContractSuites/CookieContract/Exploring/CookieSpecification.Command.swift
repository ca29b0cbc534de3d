extension CookieSpecification {
  /// One call on the store, or on its clock.
  public enum Command: Hashable, Sendable, Codable {
    /// A `Set-Cookie` line for a page.
    case store(String, from: Page)
    /// The cookies for a page.
    case cookies(for: Page)
    /// Every cookie.
    case all
    /// Deletes a host-only cookie of a page's host and path by its name.
    case delete(String, of: Page)
    /// Deletes every cookie.
    case clear
    /// Deletes the expired cookies.
    case removeExpired
    /// Deletes the session cookies.
    case endSession
    /// Advances the clock by a number of seconds.
    case wait(Int)
    /// Sets the clock back by a number of seconds.
    case setBack(Int)
    /// Restores the cookie that a line for a page made a number of seconds ago; nothing if the line
    /// makes none.
    case restore(String, from: Page, age: Int)
  }
}

extension CookieSpecification.Command: CustomStringConvertible {
  /// Whether both commands are equal, strings byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    one.description.utf8.elementsEqual(other.description.utf8)
  }

  /// The command in Swift syntax, without the leading dot.
  public var description: String {
    switch self {
    case .store(let line, let page): "store(\(line.debugDescription), from: \"\(page)\")"
    case .cookies(let page): "cookies(for: \"\(page)\")"
    case .all: "all"
    case .delete(let name, let page): "delete(\(name.debugDescription), of: \"\(page)\")"
    case .clear: "clear"
    case .removeExpired: "removeExpired"
    case .endSession: "endSession"
    case .wait(let seconds): "wait(\(seconds))"
    case .setBack(let seconds): "setBack(\(seconds))"
    case .restore(let line, let page, let age):
      "restore(\(line.debugDescription), from: \"\(page)\", age: \(age))"
    }
  }
}
