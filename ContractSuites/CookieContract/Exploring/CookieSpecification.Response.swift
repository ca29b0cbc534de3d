public import CookiePort

extension CookieSpecification {
  /// The response to a command.
  public enum Response: Hashable, Sendable, Codable {
    /// No result.
    case done
    /// Cookies, in order.
    case cookies([Cookie])
    /// The cookies that a line stored and removed, if any.
    case change(stored: Cookie?, removed: Cookie?)
    /// The rejection of a line.
    case rejected(CookieRejection)
    /// The number of cookies removed.
    case count(Int)
  }
}

extension CookieSpecification.Response {
  /// Creates the response to storing a line.
  ///
  /// - Parameter change: The change that the store returned.
  init(_ change: CookieChange?) {
    self =
      switch change {
      case .stored(let cookie, let old): .change(stored: cookie, removed: old)
      case .removed(let cookie, _): .change(stored: nil, removed: cookie)
      case nil: .change(stored: nil, removed: nil)
      }
  }

  /// The response without last-access times.
  var comparable: Self {
    func comparable(_ cookie: Cookie) -> Cookie {
      var cookie = cookie
      cookie.lastAccess = cookie.creation
      return cookie
    }
    switch self {
    case .cookies(let cookies): return .cookies(cookies.map(comparable))
    case .change(let stored, let removed):
      return .change(stored: stored.map(comparable), removed: removed.map(comparable))
    case .done, .rejected, .count: return self
    }
  }
}

extension CookieSpecification.Response: CustomStringConvertible {
  /// The response with every field of its cookies.
  public var description: String {
    switch self {
    case .done: "done"
    case .cookies(let cookies): "[\(cookies.map(\.testDescription).joined(separator: ", "))]"
    case .change(let stored?, nil): "stored \(stored.testDescription)"
    case .change(let stored?, let old?):
      "stored \(stored.testDescription) in place of \(old.testDescription)"
    case .change(nil, let removed?): "removed \(removed.testDescription)"
    case .change(nil, nil): "nothing stored or removed"
    case .rejected(let reason): "rejected as \(reason.rawValue)"
    case .count(let count): "\(count)"
    }
  }
}
