import Foundation

/// A validator for the part of JSON Schema (draft 2020-12) that this package's schemas use.
///
/// Any other keyword is an error.
package struct JSONSchema {
  private let root: [String: Any]

  /// Reads a schema from the repository's `Schemas` folder.
  package init(named name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Schemas")
    let data = try Data(contentsOf: folder.appendingPathComponent("\(name).schema.json"))
    root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// Validates a JSON text.
  ///
  /// - Returns: The errors, each with the path of the value.
  package func errors(in text: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(
      with: Data(text.utf8), options: .fragmentsAllowed)
    return errors(in: value, by: root, at: "$")
  }

  private func errors(in value: Any, by schema: [String: Any], at path: String) -> [String] {
    var errors: [String] = []
    for (keyword, rule) in schema {
      switch keyword {
      case "$schema", "$id", "$defs", "title", "description": break
      case "$ref":
        let name = (rule as? String)?.replacing("#/$defs/", with: "") ?? ""
        let definition = (root["$defs"] as? [String: Any])?[name] as? [String: Any]
        errors += definition.map { self.errors(in: value, by: $0, at: path) } ?? ["no \(name)"]
      case "oneOf":
        let choices = rule as? [[String: Any]] ?? []
        let matches = choices.count { self.errors(in: value, by: $0, at: path).isEmpty }
        if matches != 1 { errors.append("\(path): matches \(matches) schemas of oneOf") }
      case "type":
        if !Self.isOf(type: rule as? String ?? "", value) {
          errors.append("\(path): is not of type \(rule)")
        }
      case "const", "enum":
        let allowed = rule as? [AnyHashable] ?? [rule as? AnyHashable].compactMap(\.self)
        if !allowed.contains(where: { $0 == value as? AnyHashable }) {
          errors.append("\(path): \(value) is not one of \(allowed)")
        }
      case "minimum":
        if let number = value as? Double, let least = rule as? Double, number < least {
          errors.append("\(path): \(number) is below \(least)")
        }
      case "pattern":
        let text = value as? String ?? ""
        if text.range(of: rule as? String ?? "", options: .regularExpression) == nil {
          errors.append("\(path): '\(text)' does not match \(rule)")
        }
      case "items":
        for (index, item) in (value as? [Any] ?? []).enumerated() {
          errors += self.errors(
            in: item, by: rule as? [String: Any] ?? [:], at: "\(path)[\(index)]")
        }
      case "required":
        for key in rule as? [String] ?? [] where (value as? [String: Any])?[key] == nil {
          errors.append("\(path): '\(key)' is missing")
        }
      case "properties", "additionalProperties": break
      default: errors.append("unknown keyword \(keyword)")
      }
    }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for (key, item) in value as? [String: Any] ?? [:] {
      if let property = properties[key] {
        errors += self.errors(in: item, by: property, at: "\(path).\(key)")
      } else if let other = schema["additionalProperties"] as? [String: Any] {
        errors += self.errors(in: item, by: other, at: "\(path).\(key)")
      } else if schema["additionalProperties"] as? Bool == false {
        errors.append("\(path): '\(key)' is not allowed")
      }
    }
    return errors
  }

  private static func isOf(type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": value is Bool
    case "integer": (value as? Double).map { $0 == $0.rounded() } ?? false
    case "number": value is Double
    default: false
    }
  }
}
