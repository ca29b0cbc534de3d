import CookiePort

extension AsyncStream<CookieChange> {
  /// The next changes: so many, or those that came before the stream ended or two seconds passed.
  func first(_ count: Int) async -> [CookieChange] {
    await withTaskGroup(of: [CookieChange]?.self) { group in
      group.addTask {
        var changes: [CookieChange] = []
        for await change in self {
          changes.append(change)
          if changes.count == count { break }
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
