import SeededRandom

extension Choices {
  /// Draws an element of a collection, most often one of a few that are the run's favourites.
  ///
  /// Calls must meet in the same value to show most mistakes, and among twenty values they rarely do. In three
  /// of four runs, three of four draws are one of two to five favourites, of which the simple values are the
  /// more probable ones.
  ///
  /// - Parameters:
  ///   - elements: The possible elements, the simplest first.
  ///   - domain: The meaning of the element; see ``integer(in:domain:)``.
  /// - Returns: An element, or `nil` if there is none.
  package mutating func favourite<Element>(of elements: [Element], domain: Domain) -> Element? {
    guard elements.count > 5, mode != .replaying, preference & 3 != 0 else {
      return element(of: elements, domain: domain)
    }
    let bits = generator.next()
    guard bits & 3 != 0 else { return element(of: elements, domain: domain) }
    let number = (bits >> 8 & 0xffff) % (2 + preference >> 2 & 3)
    let limit = UInt64(elements.count - 1)
    let chance = SplitMix64.mixed(preference &+ number &+ domain.number << 8)
    let rank = chance.multipliedFullWidth(by: chance).high.scaled(upTo: limit)
    return elements[Int(note(rank, upTo: limit, domain: domain))]
  }
}

extension Choices.Domain {
  /// A number that few other domains have.
  fileprivate var number: UInt64 {
    guard name.hasPointerRepresentation, name.utf8CodeUnitCount > 0 else { return 0 }
    return UInt64(name.utf8Start[name.utf8CodeUnitCount - 1])
  }
}
