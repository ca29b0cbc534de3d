public import Observation

/// What a screen shows of a tally.
@Observable public final class TallyDisplay {
  public private(set) var text = ""

  public init() {}

  public func show(_ total: Int) { text = total == 1 ? "1 piece" : "\(total) pieces" }
}
