import CookieHistories
import ExplorationEngine
import Foundation

/// What a history can be checked against, by its name on the command line.
enum HistoryModel: Equatable {
  /// One of the plain data types.
  case plain(RecordedModelName)
  /// A cookie store.
  case cookies

  /// Every name, for messages.
  static let names =
    (RecordedModelName.allCases.map(\.rawValue) + ["cookies"]).joined(separator: ", ")

  init?(_ name: String) {
    if name == "cookies" {
      self = .cookies
    } else if let model = RecordedModelName(rawValue: name) {
      self = .plain(model)
    } else {
      return nil
    }
  }

  /// The name.
  var name: String {
    switch self {
    case .plain(let model): model.rawValue
    case .cookies: "cookies"
    }
  }

  /// Reads a history and checks it.
  ///
  /// - Throws: `LinearizabilityFileError` naming every line that can't be used.
  func judge(
    _ data: Data, initial: RecordedValue?, limits: LinearizabilityLimits
  ) throws(LinearizabilityFileError) -> RecordedVerdict {
    switch self {
    case .plain(let model): try model.judge(data, initial: initial, limits: limits)
    case .cookies: try RecordedVerdict(data, CookieHistoryModel(), limits)
    }
  }
}
