import ExplorationEngine
import LinearizabilityChecking

/// Decides by plain enumeration of every order. Only for histories of a few operations.
func isLinearizable<Model: SequentialModel>(
  _ history: History<Model.Command, Model.Response>, by model: Model
) -> Bool {
  let operations = history.operations

  func search(_ rest: [Int], _ state: Model.State) -> Bool {
    let completed = rest.filter { operations[$0].end != nil }
    if completed.isEmpty { return true }
    for index in rest {
      let operation = operations[index]
      if completed.contains(where: { (operations[$0].end ?? .max) < operation.call }) { continue }
      var copy = state
      let response = model.apply(operation.command, to: &copy)
      if case .returned(let actual, _) = operation.outcome, actual != response { continue }
      if search(rest.filter { $0 != index }, copy) { return true }
    }
    return false
  }
  return search(Array(operations.indices), model.initialState)
}

/// Whether an order explains a history: it agrees with the model and the stamps, and has every
/// completed operation.
func explains<Model: SequentialModel>(
  _ order: [Int], _ history: History<Model.Command, Model.Response>, by model: Model
) -> Bool {
  let operations = history.operations
  guard Set(order).count == order.count else { return false }
  let completed = operations.indices.filter { operations[$0].end != nil }
  guard Set(order).isSuperset(of: completed) else { return false }
  var state = model.initialState
  var latestCall = Int.min
  for index in order {
    let operation = operations[index]
    latestCall = max(latestCall, operation.call)
    if let end = operation.end, end < latestCall { return false }
    let response = model.apply(operation.command, to: &state)
    if case .returned(let actual, _) = operation.outcome, actual != response { return false }
  }
  return true
}
