internal import ExplorationEngine

// Passes that remove choices within a command, such as the elements of a list, or that give them to
// another kind of command. They first ask the model what the remaining choices mean: by position
// alone, a choice after a removed one would take its place, and the elements that matter be lost.

extension Shrinker {
  /// Removes elements of the lists that commands draw: after a number of elements, or each after a
  /// choice that there is one more.
  mutating func dropElements() {
    var command = 0
    while command < best.spans.count, !isOverBudget {
      let before = best.sequence
      if best.spans[command].count > 2 {
        dropCounted(in: command)
        dropContinued(in: command)
      }
      if best.sequence == before { command += 1 }
    }
  }

  // MARK: - Lists with a number of elements

  /// The choices of a list: a number, and those of each element.
  private struct CountedList {
    let command: Int
    let index: Int
    /// The numbers of choices of the elements that can be removed.
    var sizes: [Int]
  }

  /// Removes elements together with their share of the number that was drawn before them.
  private mutating func dropCounted(in command: Int) {
    var index = 0
    while command < best.spans.count, index < best.spans[command].count {
      if var list = list(at: index, in: command) {
        var part = max(list.sizes.count / 2, 1)
        var end = list.sizes.count
        while end > 0, !isOverBudget {
          let start = max(end - part, 0)
          let length = best.spans.count
          if accepts(without: start..<end, of: list) {
            guard best.spans.count == length else { return }
            list.sizes.removeSubrange(start..<end)
            end = start
            part *= 2
          } else if part > 1 {
            part /= 2
          } else {
            end -= 1
          }
        }
      }
      index += 1
    }
  }

  /// The list whose number of elements is drawn at a position, or `nil` if none is.
  ///
  /// An element is the least number of choices without which, and with one less in the number, the
  /// generator draws exactly the others.
  private func list(at index: Int, in command: Int) -> CountedList? {
    let span = best.spans[command]
    let number = span[index].rank
    guard span[index].kind == .value, (1...200).contains(number) else { return nil }
    var sizes: [Int] = []
    var position = index + 1
    // A list that cannot be empty has one element more than its number's rank.
    while sizes.count <= Int(number), position < span.count {
      let size = (1...min(64, span.count - position)).first { size in
        var spans = best.spans
        spans[command][index].rank = number - 1
        spans[command].removeSubrange(position..<position + size)
        return drawsExactly(spans, in: command)
      }
      guard let size else { break }
      sizes.append(size)
      position += size
    }
    return sizes.isEmpty ? nil : CountedList(command: command, index: index, sizes: sizes)
  }

  /// Whether the generator draws all choices of a command and no others.
  private func drawsExactly(_ spans: [[Choice]], in command: Int) -> Bool {
    let drawn = Candidate(spec, spans: spans).spans[command]
    return drawn.elementsEqual(spans[command]) { $0.rank == min($1.rank, $0.limit) }
  }

  /// Removes elements if the rest fails: as they are, with the parts of all elements drawn in
  /// columns, such as the keys before the values, or with lower numbers for the later elements, if
  /// the values are places in the list.
  private mutating func accepts(without elements: Range<Int>, of list: CountedList) -> Bool {
    guard best.spans[list.command][list.index].rank >= UInt64(elements.count) else { return false }
    var spans = best.spans
    spans[list.command][list.index].rank -= UInt64(elements.count)
    let span = spans[list.command]
    let start = list.index + 1 + list.sizes[..<elements.lowerBound].reduce(0, +)
    let end = start + list.sizes[elements].reduce(0, +)
    guard start < end, end <= span.count else { return false }
    spans[list.command].removeSubrange(start..<end)
    if accepts(spans) { return true }
    for index in spans[list.command].indices.dropFirst(list.index + 1)
    where spans[list.command][index].rank >= UInt64(elements.upperBound) {
      spans[list.command][index].rank -= UInt64(elements.count)
    }
    if accepts(spans) { return true }
    let (width, count) = (list.sizes[0], list.sizes.count)
    guard width > 1, Set(list.sizes).count == 1, list.index + 1 + width * count <= span.count
    else { return false }
    spans[list.command] = span
    for column in (0..<width).reversed() {
      let start = list.index + 1 + column * count
      spans[list.command].removeSubrange(start + elements.lowerBound..<start + elements.upperBound)
    }
    return accepts(spans)
  }

  // MARK: - Lists that go on

  /// Removes neighbouring choices without which the generator draws exactly the others: an element
  /// and the choice that there is one.
  private mutating func dropContinued(in command: Int) {
    var start = best.spans[command].count - 1
    var parts = 1
    while start >= 0, command < best.spans.count, !isOverBudget {
      let ends = exactEnds(from: start, in: command, most: parts)
      guard let end = ends.last else {
        start -= 1
        continue
      }
      var spans = best.spans
      spans[command].removeSubrange(start..<end)
      if accepts(spans) {
        parts *= 2
        start = min(start, best.spans[min(command, best.spans.count - 1)].count - 1)
      } else if parts > 1 {
        parts = max(ends.count / 2, 1)
      } else {
        start -= 1
      }
    }
  }

  /// The ends of the ranges of choices that the generator does not miss, the nearest first.
  private func exactEnds(from start: Int, in command: Int, most: Int) -> [Int] {
    var ends: [Int] = []
    let span = best.spans[command]
    guard start < span.count else { return [] }
    var end = start + 1
    while end <= min(span.count, start + 64), ends.count < most {
      var spans = best.spans
      spans[command].removeSubrange(start..<end)
      if drawsExactly(spans, in: command) { ends.append(end) }
      // Without a way to leave out a few choices, there is none to leave out more.
      if ends.isEmpty, end - start >= 8 { break }
      end += 1
    }
    return ends
  }

  /// Removes a few neighbouring choices without which the generator draws fewer, whatever it makes
  /// of the others: what takes the place of an expression need not have its form.
  mutating func dropInexactly() {
    guard best.spans.count <= 3, best.spans.joined().count <= 60 else { return }
    for command in best.spans.indices {
      var start = 0
      while command < best.spans.count, start < best.spans[command].count, !isOverBudget {
        let before = best.sequence
        for count in 1...4 where start + count <= best.spans[command].count {
          var spans = best.spans
          spans[command].removeSubrange(start..<start + count)
          let drawn = Candidate(spec, spans: spans).spans[command].count
          if drawn < best.spans[command].count, accepts(spans) { break }
        }
        if best.sequence == before { start += 1 }
        guard command < best.spans.count else { return }
      }
    }
  }

  // MARK: - Other kinds

  /// The best candidate's spans with another kind of command at a position.
  ///
  /// The new kind gets the choices of the old one that have the same domain, or the same limit, in
  /// their order. By position, it might take a key for a value.
  func realigned(_ position: Position, to rank: UInt64) -> [[Choice]] {
    var spans = best.spans
    var unused = Array(spans[position.command].dropFirst(position.index + 1))
    spans[position.command].removeSubrange((position.index + 1)...)
    spans[position.command][position.index].rank = rank
    // What is drawn next may depend on each choice before.
    while spans[position.command].count < 64 {
      let drawn = Candidate(spec, spans: spans).spans[position.command]
      guard spans[position.command].count < drawn.count else { break }
      var next = drawn[spans[position.command].count]
      if let match = unused.firstIndex(where: { $0.group == next.group }) {
        next.rank = min(unused.remove(at: match).rank, next.limit)
      }
      spans[position.command].append(next)
    }
    return spans
  }
}
