/// The values that both sides have chosen for the same thing, such as ids.
///
/// They come from calls whose answers are not compared. Where the two values of a pair are found again, in the same place
/// of two later answers, the answers are alike. Of two pairs with a common value, only the later one counts: ids are used
/// again.
///
/// A small number is such a value only under a label that ends in `id`, because a count may have the same value by
/// chance. Other numbers, `Bool` and cases of enumerations are no ids.
struct Correspondences {
  /// The fake's value for each of the live side.
  private var fakes: [AnyHashable: AnyHashable] = [:]
  /// The live side's value for each of the fake.
  private var lives: [AnyHashable: AnyHashable] = [:]

  var isEmpty: Bool { fakes.isEmpty }

  /// Adds the parts of two answers that differ.
  mutating func add(_ live: Any, _ fake: Any) {
    for part in StructuralComparison.differingParts(live, fake) where Self.mayBeID(part.left) {
      guard let one = part.left as? AnyHashable, let other = part.right as? AnyHashable
      else { continue }
      if let old = fakes.updateValue(other, forKey: one) { lives[old] = nil }
      if let old = lives.updateValue(one, forKey: other), old != one { fakes[old] = nil }
    }
  }

  /// Whether two values are of the same thing.
  ///
  /// - Parameters:
  ///   - live: The live side's value.
  ///   - fake: The fake's.
  ///   - path: The path to both in their answers, or `nil` in errors, where numbers name what was asked for.
  func contains(_ live: Any, _ fake: Any, at path: String?) -> Bool {
    guard !isEmpty, let one = live as? AnyHashable, let other = fake as? AnyHashable,
      fakes[one] == other
    else { return false }
    guard let path, live is any BinaryInteger else { return true }
    let isLarge = Self.isLarge(live) && Self.isLarge(fake)
    return isLarge || path.drop(suffix: "?").lowercased().hasSuffix("id")
  }

  private static func mayBeID(_ value: Any) -> Bool {
    value is any BinaryInteger
      || !(value is Bool || value is any Numeric || Mirror(reflecting: value).displayStyle == .enum)
  }

  private static func isLarge(_ value: Any) -> Bool {
    func isLarge<Number: BinaryInteger>(_ number: Number) -> Bool { number.magnitude >= 1_000 }
    return (value as? any BinaryInteger).map { isLarge($0) } ?? false
  }

  /// Whether two values are alike apart from what corresponds.
  func explain(_ live: Any?, _ fake: Any?) -> Bool {
    guard !isEmpty, let live, let fake else { return false }
    return StructuralComparison.difference(live, fake, apartFrom: self) == nil
  }
}

extension String {
  fileprivate func drop(suffix: Character) -> Substring {
    last == suffix ? dropLast() : self[...]
  }
}
