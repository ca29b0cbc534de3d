import Foundation

/// A JSON value.
enum JSONValue: Decodable, Hashable {
  case null
  case boolean
  case number
  case string
  case array([JSONValue])
  case object([String: JSONValue])

  /// Parses a text; returns `nil` if it is no JSON.
  init?(_ text: String) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
      return nil
    }
    self = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if (try? container.decode(Bool.self)) != nil {
      self = .boolean
    } else if (try? container.decode(Double.self)) != nil {
      self = .number
    } else if (try? container.decode(String.self)) != nil {
      self = .string
    } else if let elements = try? container.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The value's type, with an article.
  var type: String {
    switch self {
    case .null: "null"
    case .boolean: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// What several JSON values of the real thing have in common: their types, and the members of objects.
struct JSONShape {
  private var types: Set<String> = []
  private var objects = 0
  private var members: [String: (shape: JSONShape, count: Int)] = [:]
  /// The shape of all elements of all arrays, if there is an array.
  private var elements: [JSONShape] = []

  mutating func add(_ value: JSONValue) {
    types.insert(value.type)
    switch value {
    case .object(let object):
      objects += 1
      for (name, member) in object {
        var known = members[name] ?? (JSONShape(), 0)
        known.shape.add(member)
        known.count += 1
        members[name] = known
      }
    case .array(let array):
      var shape = elements.first ?? JSONShape()
      for element in array { shape.add(element) }
      elements = [shape]
    case .null, .boolean, .number, .string: break
    }
  }

  /// How a value differs from every value of the shape, as sentences about JSON paths.
  func differences(of value: JSONValue, at path: String = "$") -> [String] {
    // An empty array of the real thing says nothing about its elements.
    if types.isEmpty { return [] }
    guard types.contains(value.type) else {
      return ["\(path) is \(value.type) and not \(types.sorted().joined(separator: " or "))"]
    }
    switch value {
    case .object(let object):
      return memberDifferences(of: object, at: path)
    case .array(let array):
      guard let shape = elements.first else { return [] }
      return array.enumerated().flatMap { shape.differences(of: $1, at: "\(path)[\($0)]") }
    case .null, .boolean, .number, .string: return []
    }
  }

  private func memberDifferences(
    of object: [String: JSONValue], at path: String
  ) -> [String] {
    let missing = members.filter { $0.value.count == objects && object[$0.key] == nil }.keys
    return missing.sorted().map { "\(path).\($0) is missing" }
      + object.sorted { $0.key < $1.key }.flatMap { name, value in
        members[name]?.shape.differences(of: value, at: "\(path).\(name)")
          ?? ["\(path).\(name) is in no answer of the real thing"]
      }
  }
}
