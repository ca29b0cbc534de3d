import Foundation
import RecordedHistories

/// A model that a recorded history can be checked against, with its name on the command line.
package struct HistoryModel: Sendable {
  /// The initial values that a model accepts.
  package enum InitialValue: Sendable {
    /// The model always starts empty.
    case none
    /// An integer.
    case integer
    /// Any JSON value.
    case any
  }

  /// The value of `--model`.
  package let name: String

  /// The values that `--initial` accepts.
  package let initialValue: InitialValue

  /// Reads a history and checks it.
  package let check:
    @Sendable (Data, RecordedValue?, RecordedInterpretation, LinearizabilityLimits)
      throws(LinearizabilityFileError) -> RecordedVerdict

  /// Creates a named model.
  package init<Model: RecordedModel>(
    _ name: String, _ model: Model.Type, initialValue: InitialValue = .none
  ) {
    self.name = name
    self.initialValue = initialValue
    check = { (data, initial, interpretation, limits) throws(LinearizabilityFileError) in
      try RecordedVerdict(data, Model(initial: initial), interpretation, limits)
    }
  }

  private init(_ model: RecordedModelName) {
    name = model.rawValue
    initialValue =
      switch model {
      case .register, .keyValue: .any
      case .counter: .integer
      case .queue, .stack, .set, .lock: .none
      }
    check = { (data, initial, interpretation, limits) throws(LinearizabilityFileError) in
      try model.judge(data, initial: initial, interpretation, limits: limits)
    }
  }

  /// The models of `contracts linearizable`.
  package static let all = RecordedModelName.allCases.map(HistoryModel.init)
}
