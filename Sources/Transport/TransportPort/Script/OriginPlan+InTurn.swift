extension OriginPlan {
  /// A plan that answers each request by the next script; the last one stays.
  ///
  /// - Parameters:
  ///   - scripts: The scripts, in turn; without any, each request gets an empty 200.
  ///   - identity: What an https origin shows.
  public init(inTurn scripts: [OriginScript], identity: Identity = .trusted) {
    let count = Counter()
    self.init(identity: identity) { _ in
      scripts.isEmpty ? .respond() : scripts[min(count.add(1), scripts.count) - 1]
    }
  }
}
