import CookiePort

extension AsyncStream<CookieChange> {
  /// The changes up to the one that stored this cookie, or those of two seconds where it never comes.
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
