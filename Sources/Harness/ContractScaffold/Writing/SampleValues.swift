/// Values of well-known types that differ in ways that matter.
enum SampleValues {
  /// The source of a list of values, or `nil` if the type is not known.
  static func list(of type: String) -> String? {
    values(of: type).map { "[\($0.joined(separator: ", "))]" }
  }

  private static func values(of type: String) -> [String]? {
    switch type {
    case "String", "Substring": return ["\"\"", "\"a\"", "\"é\""]
    case "Bool": return ["false", "true"]
    case "Int", "Int8", "Int16", "Int32", "Int64": return ["-1", "0", "1", "100"]
    case "UInt", "UInt8", "UInt16", "UInt32", "UInt64": return ["0", "1", "100"]
    case "Double", "Float", "TimeInterval": return ["-1", "0", "0.5", "100"]
    case "Duration": return [".zero", ".milliseconds(1)", ".seconds(60)"]
    case "Date": return ["Date(timeIntervalSince1970: 0)", "Date(timeIntervalSince1970: 1.5)"]
    case "Data": return ["Data()", "Data([0, 255])"]
    case "UUID":
      return [
        "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))",
        "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))",
      ]
    case "URL": return ["URL(filePath: \"/a\")", "URL(filePath: \"/b c\")"]
    case "SampleValue.ID": return ["1", "2"]
    case "SampleValue": return ["SampleValue(id: 1)", "SampleValue(id: 2)"]
    default: break
    }
    let text = TypeText(type)
    if let wrapped = text.wrapped { return values(of: wrapped).map { ["nil"] + $0 } }
    if let (kind, types) = text.elements, types.count == 1, kind != "tuple" {
      return values(of: types[0]).map { ["[]", "[\($0[0])]", "[\($0.joined(separator: ", "))]"] }
    }
    return nil
  }
}
