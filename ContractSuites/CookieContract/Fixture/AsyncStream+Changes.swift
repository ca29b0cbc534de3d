import CookiePort

extension AsyncStream<CookieChange> {
  /// Collects the changes up to the one that stored a cookie.
  ///
  /// - Returns: The changes; the changes so far if that one doesn't come within 2 s.
  func upTo(_ last: Cookie) async -> [CookieChange] {
    await withTaskGroup(of: [CookieChange]?.self) { group in
      group.addTask {
        var changes: [CookieChange] = []
        for await change in self {
          changes.append(change)
          if case .stored(last, _) = change { break }
        }
        return changes
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(2))
        return nil
      }
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let result { return result }
        group.cancelAll()
      }
      return []
    }
  }
}
