import SeededRandom

extension Choices {
  /// Draws an element of a collection, most often one of a few that are the run's favourites, or the one that
  /// was drawn last.
  ///
  /// Calls must meet in the same value to show most mistakes, and among twenty values they rarely do. In seven
  /// of eight runs, most draws are one of two to five favourites, of which the simple values are the more
  /// probable ones.
  ///
  /// - Parameters:
  ///   - elements: The possible elements, the simplest first.
  ///   - families: Indices of elements that show more together. In most runs, the favourites are one family.
  ///   - domain: The meaning of the element; see ``integer(in:domain:)``.
  /// - Returns: An element, or `nil` if there is none.
  package mutating func favourite<Element>(
    of elements: [Element], families: [[Int]] = [], domain: Domain
  ) -> Element? {
    guard elements.count > 5, mode != .replaying, preference & 7 != 0 else {
      return element(of: elements, domain: domain)
    }
    let bits = generator.next()
    let limit = UInt64(elements.count - 1)
    switch bits & 15 {
    case 0: return element(of: elements, domain: domain)
    case 1...4:
      let memory = memories[memory(of: domain)]
      guard memory.count > 0 else { break }
      return elements[Int(note(min(memory.latest, limit), upTo: limit, domain: domain))]
    default: break
    }
    if !families.isEmpty, preference & 0x300 != 0 {
      let family = families[
        Int(SplitMix64.mixed(preference).scaled(upTo: UInt64(families.count - 1)))]
      let index = family[Int(bits >> 8 & 0xffff) % family.count]
      return elements[Int(note(UInt64(index), upTo: limit, domain: domain))]
    }
    let number = (bits >> 8 & 0xffff) % (2 + preference >> 3 & 3)
    let chance = SplitMix64.mixed(preference &+ number &+ domain.number << 8)
    let rank = chance.multipliedFullWidth(by: chance).high.scaled(upTo: limit)
    return elements[Int(note(rank, upTo: limit, domain: domain))]
  }

  /// Draws the kind of the next command; each run prefers some kinds, and in some runs one in four is rare.
  package mutating func preferredRule(of count: Int) -> Int {
    guard mode != .replaying, preference & 0x60 != 0, count > 1 else { return rule(of: count) }
    let limit = UInt64(count - 1)
    var rank: UInt64 = 0
    // Of a few proposals, the first one that is accepted.
    for _ in 0..<4 {
      let bits = generator.next()
      rank = bits.scaled(upTo: limit)
      let chance = SplitMix64.mixed(preference ^ 0x7275_6c65 &+ rank)
      let isRare = preference & 0x80 == 0 && chance & 3 == 0
      if bits & 31 < (isRare ? 1 : 8 << (chance >> 8 & 3)) { break }
    }
    if mode == .recording { record(rank, upTo: limit, kind: .rule, domain: nil) }
    return Int(rank)
  }
}

extension Choices.Domain {
  /// A number that few other domains have.
  fileprivate var number: UInt64 {
    guard name.hasPointerRepresentation, name.utf8CodeUnitCount > 0 else { return 0 }
    return UInt64(name.utf8Start[name.utf8CodeUnitCount - 1])
  }
}
