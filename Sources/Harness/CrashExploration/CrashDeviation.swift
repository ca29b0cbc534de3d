/// A finding that a store is known to have.
struct CrashDeviation: Sendable, Hashable, Codable {
  /// A part of the line that says after what the crash happens; empty for any.
  var event: String
  /// A part of what is found.
  var found: String
  /// The mode; `nil` for any.
  var mode: CrashMode?
  var reason: String

  func covers(_ finding: CrashFinding) -> Bool {
    (event.isEmpty || finding.point.event.contains(event)) && finding.found.contains(found)
      && (mode == nil || mode == finding.mode)
  }
}
