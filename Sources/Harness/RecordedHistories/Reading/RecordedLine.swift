/// The fields of a line of a recorded history, in whatever syntax it is written.
struct RecordedLine {
  var process: RecordedValue?
  var type: RecordedValue?
  var function: RecordedValue?
  var key: RecordedValue?
  var value: RecordedValue?
  var call: RecordedValue?
  var end: RecordedValue?
  var result: RecordedValue?

  /// Sets a field by its name; other fields are ignored.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem/repeated(field:)`` for a field that is set.
  mutating func set(
    _ name: String, _ value: RecordedValue
  ) throws(LinearizabilityFileError.Problem) {
    let field: WritableKeyPath<RecordedLine, RecordedValue?>
    switch name {
    case "process": field = \.process
    case "type": field = \.type
    case "f": field = \.function
    case "key": field = \.key
    case "value": field = \.value
    case "call": field = \.call
    case "return": field = \.end
    case "result": field = \.result
    default: return
    }
    guard self[keyPath: field] == nil else { throw .repeated(field: name) }
    self[keyPath: field] = value
  }
}
