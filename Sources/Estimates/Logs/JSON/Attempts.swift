/// The values of an array, and the error of each element that cannot be decoded; the next element can still be read.
///
/// Reading ends one value beyond the decoder's limit, and only the first failure keeps its words. So a hostile array of millions
/// of empty objects does not become millions of errors.
struct Attempts<Value: Decodable>: Decodable {
  /// The values in their order.
  let results: [Result<Value, RowProblem>]

  init(from decoder: any Decoder) throws {
    let limit = attemptLimitKey.flatMap { decoder.userInfo[$0] as? Int } ?? 0
    var container = try decoder.unkeyedContainer()
    var results: [Result<Value, RowProblem>] = []
    var hasFailed = false
    while !container.isAtEnd, results.count <= limit {
      let attempt = try container.decode(Attempt.self)
      if case .failure(let error) = attempt.result {
        results.append(.failure(hasFailed ? RowProblem("wrong too") : RowProblem(JSONLog.words(error))))
        hasFailed = true
      } else if case .success(let value) = attempt.result {
        results.append(.success(value))
      }
    }
    self.results = results
  }

  private struct Attempt: Decodable {
    let result: Result<Value, any Error>

    init(from decoder: any Decoder) throws { result = Result { try Value(from: decoder) } }
  }
}

/// Where the decoder has the limit.
let attemptLimitKey = CodingUserInfoKey(rawValue: "limit")
