import Estimates
import Reports
import Tabular

/// The errors of one direction as tables, a row for each model.
struct ModelErrorTable {
  let errors: ModelErrors
  /// The positions of the models that have rows, in their order.
  let shown: [Int]
  let overall: [ModelErrors.Overall]
  let byAPI: KeyPath<APIErrors, [ErrorSums]>
  /// An API's name for display.
  let name: (APIErrors) -> String
  let width: Int
  let colour: Bool

  /// Each model's errors, part by part, over all messages.
  func sums() -> [String] {
    // The parts sum up to the total. Their shares of the wire say most.
    var table = TextTable(columns: [
      .init(title: "model", isRight: false, minimum: 12), .init(title: "messages", importance: 1),
      .init(title: "line", importance: 4), .init(title: "header", importance: 5), .init(title: "body", importance: 6),
      .init(title: "framing", importance: 2), .init(title: "total"), .init(title: "of wire", importance: 3),
    ])
    for model in shown {
      let sums = overall[model].sums
      let parts = MessagePart.allCases.map { Numerals.signed(sums.error[$0]) }
      table.rows.append(
        (
          [errors.models[model].rawValue, Numerals.grouped(sums.messages)] + parts + [
            Numerals.signedPercent(sums.error.total, of: sums.wire.total)
          ], .plain
        ))
    }
    return table.lines(width: width, colour: colour)
  }

  /// The mean error and the largest one, by message and by API.
  func extremes(parts: [MessagePart]) -> [String] {
    let hasParts = parts.count > 1
    var columns: [TextTable.Column] = [.init(title: "model", isRight: false, minimum: 12)]
    if hasParts { columns.append(.init(title: "part", isRight: false)) }
    columns += [
      .init(title: "mean"), .init(title: "worst", importance: 5), .init(title: "message", importance: 3),
      .init(title: "API mean", importance: 2), .init(title: "API worst", importance: 4),
      .init(title: "worst API", isRight: false, minimum: 12, importance: 1),
    ]
    var table = TextTable(columns: columns)
    for model in shown {
      let figures = overall[model]
      for part in parts {
        let worst = figures.worst[part] ?? WorstError()
        let apis = byAPI(model, part)
        var cells = [errors.models[model].rawValue]
        if hasParts { cells.append(part.rawValue) }
        cells += [
          Numerals.mean(figures.sums.error[part], of: figures.sums.messages), Numerals.signed(worst.error),
          worst.hasError.map { Numerals.grouped($0) } ?? "", Numerals.mean(apis.sum, of: apis.count),
          Numerals.signed(apis.worst.error), apis.worst.hasError.map { name(errors.apis[$0]) } ?? "",
        ]
        table.rows.append((cells, .plain))
      }
    }
    return table.lines(width: width, colour: colour)
  }

  /// The APIs with messages of this direction: their number, the sum of their errors, and the largest error.
  private func byAPI(_ model: Int, _ part: MessagePart) -> (count: Int, sum: Int, worst: WorstError) {
    var count = 0
    var sum = PartLengths()
    var worst = WorstError()
    for (index, api) in errors.apis.enumerated() {
      let sums = api[keyPath: byAPI][model]
      guard sums.messages > 0 else { continue }
      count += 1
      sum.add(sums.error)
      worst.note(sums.error[part], of: index)
    }
    return (count, sum[part], worst)
  }
}

extension WorstError {
  /// The number of the message or API with the error; nil without an error.
  fileprivate var hasError: Int? { error == 0 ? nil : number }
}
