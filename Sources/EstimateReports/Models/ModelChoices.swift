import Estimates
import Reports

/// The models that the summary shows, and their order (`--top`, `--sort`). Both directions have the same order.
public struct ModelChoices: Sendable {
  /// The column that models are sorted by; nil for their own order.
  public var sort: String?
  /// The largest number of models; 0 and nil for all.
  public var top: Int?

  /// By default all models, in their own order.
  public init(sort: String? = nil, top: Int? = nil) {
    self.sort = sort
    self.top = top
  }

  /// The columns that models can be sorted by.
  public static let columns = ["model", "messages"] + MessagePart.allCases.map { "\($0)_error" }

  /// The fault of the column to sort by; nil for a valid column.
  public var fault: String? { sort.flatMap { SummaryChoices.fault(of: $0, among: Self.columns) } }

  /// The positions of the shown models, in their order. The largest errors of requests and responses together come first,
  /// whatever their signs; equal models keep their order.
  func positions(_ errors: ModelErrors) -> [Int] {
    var positions = Array(errors.models.indices)
    if sort == "model" {
      positions.sort { errors.models[$0].rawValue < errors.models[$1].rawValue }
    } else if let sort {
      let part = MessagePart.allCases.first { "\($0)_error" == sort }
      let sizes = zip(errors.requests, errors.responses).map { requests, responses -> UInt in
        guard let part else { return UInt(requests.sums.messages + responses.sums.messages) }
        let (size, overflows) = requests.sums.error[part].magnitude
          .addingReportingOverflow(responses.sums.error[part].magnitude)
        return overflows ? .max : size
      }
      positions.sort { (sizes[$1], $0) < (sizes[$0], $1) }
    }
    return Array(positions.prefix(top.map { $0 == 0 ? .max : $0 } ?? .max))
  }
}
