/// The order in which the jobs of a program ran, as deviations from first in, first out.
///
/// Left alone, the running task goes on until it waits; then comes the task that was interrupted
/// last, if any, or else the job that has been ready longest. A schedule lists the decisions that went another way, and nothing else, so it is short
/// and still replays exactly. It can be stored, and pasted into source code as text.
public struct Schedule: Sendable, Hashable, CustomStringConvertible {
  /// One decision that went another way.
  struct Deviation: Sendable, Hashable {
    /// The number of the decision; only moments with several ready jobs count.
    var decision: Int
    /// Which of the ready jobs ran, from the one ready longest.
    var choice: Int
  }

  var deviations: [Deviation]
  /// A digest of the steps taken, by which a stale schedule is noticed; 0 when unknown.
  var digest: UInt32
  /// How the run was cut into steps.
  var grain = Grain.fine

  /// First in, first out: no deviation.
  public static let firstInFirstOut = Schedule(deviations: [], digest: 0)

  init(deviations: [Deviation], digest: UInt32, grain: Grain = .fine) {
    self.deviations = deviations
    self.digest = digest
    self.grain = grain
  }

  /// Reads the text form, as printed in a report.
  ///
  /// - Parameter text: Such as `3>1 7>0 #5e2f01aa`: decision and choice, then a digest.
  /// - Throws: ``InvalidScheduleError`` when the text is not such a list.
  public init(_ text: String) throws(InvalidScheduleError) {
    deviations = []
    digest = 0
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let word = Grain(rawValue: String(word)), word != .fine, grain == .fine,
        deviations.isEmpty,
        digest == 0
      {
        grain = word
        continue
      }
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

  /// The text form, which ``init(_:)`` reads.
  public var description: String {
    var words = grain == .fine ? [] : [grain.rawValue]
    words += deviations.map { "\($0.decision)>\($0.choice)" }
    if digest != 0 { words.append("#" + String(digest, radix: 16)) }
    return words.joined(separator: " ")
  }
}

extension Schedule: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A text that is not a schedule.
public struct InvalidScheduleError: Error, Hashable, CustomStringConvertible {
  /// The whole text.
  public let text: String
  /// The first part that makes no sense.
  public let part: String

  /// What is wrong and what to do about it.
  public var description: String {
    "'\(part)' in the schedule \"\(text)\" is not a decision such as '7>1' in rising order, "
      + "nor a digest such as '#5e2f'. Paste the schedule as the report printed it."
  }
}
