import Synchronization

extension OriginPlan {
  /// Creates a plan that plays the scripts in turn, one per request, and then repeats the last one.
  ///
  /// - Parameters:
  ///   - scripts: The scripts in order; if empty, the origin answers every request with an empty
  ///     200.
  ///   - identity: The certificate and protocol of an https origin.
  public init(inTurn scripts: [OriginScript], identity: Identity = .trusted) {
    let played = Atomic(0)
    self.init(identity: identity) { _ in
      let index = played.wrappingAdd(1, ordering: .relaxed).oldValue
      return scripts.isEmpty ? .respond() : scripts[min(index, scripts.count - 1)]
    }
  }
}
