/// Removes elements of a list while the rest has a property: many at a time, then one by one, the
/// last ones first.
///
/// Source: Zeller, Hildebrandt, 'Simplifying and Isolating Failure-Inducing Input', TSE 2002.
///
/// - Parameters:
///   - list: The list, which has the property.
///   - isOver: Whether to return the smallest part so far.
///   - holds: Whether a part has the property.
/// - Returns: A part from which no single element can be removed, unless `isOver` became `true`.
package func minimized<Element>(
  _ list: [Element], until isOver: @autoclosure () -> Bool = false, while holds: ([Element]) -> Bool
) -> [Element] {
  var kept = list
  var size = (kept.count + 1) / 2
  while size > 0, !isOver() {
    var isSmaller = false
    var end = kept.count
    while end > 0, !isOver() {
      let start = max(end - size, 0)
      var fewer = kept
      fewer.removeSubrange(start..<end)
      if holds(fewer) {
        kept = fewer
        isSmaller = true
      }
      end = start
    }
    if !isSmaller || size > 1 { size /= 2 }
    size = min(size, kept.count)
  }
  return kept
}
