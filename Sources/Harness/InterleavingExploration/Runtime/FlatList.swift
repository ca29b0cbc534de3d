/// A growable array of plain values that keeps its storage from run to run.
///
/// The engine changes its lists at every step. `Array` checks at each change that its storage is
/// uniquely referenced; this type cannot be copied, so it needs no check. Most programs leave most
/// lists empty, so the first element allocates the storage.
struct FlatList<Element: BitwiseCopyable>: ~Copyable {
  private var storage = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)
  private(set) var count = 0

  deinit { storage.deallocate() }

  var isEmpty: Bool { count == 0 }

  /// The values. The buffer is valid until the list changes.
  var elements: UnsafeMutableBufferPointer<Element> {
    .init(start: storage.baseAddress, count: count)
  }

  subscript(index: Int) -> Element {
    get { storage[index] }
    _modify { yield &storage[index] }
  }

  mutating func append(_ element: Element) {
    if count == storage.count { grow() }
    storage[count] = element
    count += 1
  }

  mutating func insert(_ element: Element, at index: Int) {
    append(element)
    for place in (index..<count - 1).reversed() { storage[place + 1] = storage[place] }
    storage[index] = element
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    let element = elements[index]
    for place in index + 1..<count { storage[place - 1] = storage[place] }
    count -= 1
    return element
  }

  mutating func removeLast(_ number: Int = 1) { count -= number }

  mutating func removeAll() { count = 0 }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    var kept = 0
    for index in 0..<count where !isUnwanted(storage[index]) {
      storage[kept] = storage[index]
      kept += 1
    }
    count = kept
  }

  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(16, 2 * storage.count))
    _ = larger.update(fromContentsOf: storage)
    storage.deallocate()
    storage = larger
  }
}
