/// The order in which the jobs of a program ran, as deviations from FIFO order.
///
/// Without a deviation, the running task continues until it suspends. Then the task that was
/// preempted last runs, if there is one, otherwise the job that has been ready longest. A schedule
/// lists only the decisions that differ, so it is short and still replays exactly. It can be
/// stored, and pasted into source code as text.
public struct Schedule: Sendable, Hashable, CustomStringConvertible {
  /// A decision that differs from FIFO order.
  package struct Deviation: Sendable, Hashable {
    /// The decision's number; only moments with several ready jobs are counted.
    package var decision: Int
    /// The index of the job that ran, among the ready jobs from the one ready longest.
    package var choice: Int

    package init(decision: Int, choice: Int) {
      self.decision = decision
      self.choice = choice
    }
  }

  package var deviations: [Deviation]
  /// A digest of the run's steps, which shows whether the schedule is stale; 0 if unknown.
  package var digest: UInt32

  /// FIFO order, without a deviation.
  public static let firstInFirstOut = Schedule(deviations: [], digest: 0)

  package init(deviations: [Deviation], digest: UInt32) {
    self.deviations = deviations
    self.digest = digest
  }

  /// Reads a schedule from the text that a report prints.
  ///
  /// - Parameter text: Decisions with their choices, then the digest, such as `3>1 7>0 #5e2f01aa`.
  /// - Throws: ``InvalidScheduleError`` if the text has another form.
  public init(_ text: String) throws(InvalidScheduleError) {
    deviations = []
    digest = 0
    for word in text.split(whereSeparator: \.isWhitespace) {
      if word.first == "#" {
        guard let value = UInt32(word.dropFirst(), radix: 16), digest == 0 else {
          throw InvalidScheduleError(text: text, part: String(word))
        }
        digest = value
        continue
      }
      let parts = word.split(separator: ">", omittingEmptySubsequences: false)
      guard parts.count == 2, let decision = Int32(parts[0]), let choice = Int32(parts[1]),
        decision >= 0, choice >= 0, decision > deviations.last?.decision ?? -1
      else { throw InvalidScheduleError(text: text, part: String(word)) }
      deviations.append(Deviation(decision: Int(decision), choice: Int(choice)))
    }
  }

  /// The text that ``init(_:)`` reads.
  public var description: String {
    var words = deviations.map { "\($0.decision)>\($0.choice)" }
    if digest != 0 { words.append("#" + String(digest, radix: 16)) }
    return words.joined(separator: " ")
  }
}

extension Schedule: Codable {
  /// Reads the text that ``description`` writes.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// An error for a text that is not a schedule.
public struct InvalidScheduleError: Error, Hashable, CustomStringConvertible {
  /// The whole text.
  public let text: String
  /// The first part that is not valid.
  public let part: String

  /// A message that names the part and the valid forms.
  public var description: String {
    "invalid schedule \"\(text)\": '\(part)' is neither a decision such as '7>1', in ascending "
      + "order, nor a digest such as '#5e2f'; paste the schedule as the report printed it"
  }
}
