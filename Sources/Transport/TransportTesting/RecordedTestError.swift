/// Why a test cannot use its recording, and the command that helps.
enum RecordedTestError: Error, Equatable {
  case invalidName(String)
  case unnamedArguments
  case missing(path: String, command: String)
  case unreadable(path: String, reason: String, command: String)
  case inUse(path: String, test: String)
  case unused(path: String, command: String)
  case nothingRecorded(path: String)
  case notSaved(path: String, reason: String)
}

extension RecordedTestError: CustomStringConvertible {
  var description: String {
    switch self {
    case .invalidName(let name):
      "\(name.debugDescription) is not a name of a recording; use letters, digits, '-', '_', '.' and '/'"
    case .unnamedArguments:
      "this version of Swift Testing does not show the arguments of a test case, which name its "
        + "recording; record each case in a test of its own"
    case .missing(let path, let command):
      "there is no recording \(path); record it: \(command)"
    case .unreadable(let path, let reason, let command):
      "the recording \(path) can't be read: \(reason); record it again: \(command)"
    case .inUse(let path, let test):
      "the recording \(path) belongs to another test, \(test); give each its own name, or none"
    case .unused(let path, let command):
      "the test sent no request through RecordedTransport.current, so it did not use the recording "
        + "\(path); remove the trait and the file, or record it again: \(command)"
    case .nothingRecorded(let path):
      "the test sent no request through RecordedTransport.current, so there is nothing to record in "
        + "\(path); remove the trait, or send its requests through that transport"
    case .notSaved(let path, let reason): "the recording \(path) is not written: \(reason)"
    }
  }
}
