extension RandomAccessCollection where Index == Int {
  /// The first index whose element satisfies `predicate`. All later elements satisfy it, and no earlier one does.
  func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
