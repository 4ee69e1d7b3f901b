/// A way in which an app, or a tool at its side, states the length of a message.
///
/// Each model is a type of its own, which documents the source of its formula and its assumptions. Figures are octets as the
/// model means them.
public protocol TrafficModel: Sendable {
  /// The estimate of a request; nil when a fact that it depends on is unknown.
  func request(_ request: SeenRequest) -> PartLengths?
  /// The estimate of a final response; nil when a fact that it depends on is unknown.
  func response(_ response: SeenResponse) -> PartLengths?
}

/// The models, in the order of reports.
public enum ModelName: String, Sendable, CaseIterable {
  /// `NetworkEyeModel`.
  case networkEye = "networkeye"
  /// `HertzModel`.
  case hertz
  /// `WedjatModel`.
  case wedjat
  /// `DoKitModel`.
  case doKit = "dokit"
  /// `DoggerModel`.
  case dogger
  /// `EpModel`.
  case ep
  /// `LLDebugToolModel`.
  case llDebugTool = "lldebugtool"
  /// `NetfoxModel`.
  case netfox
  /// `OkHttpModel`.
  case okHttp = "okhttp"
  /// `TaskMetricsModel`.
  case taskMetrics = "urlsession_metrics"
  /// `ChromeHARModel`.
  case chromeHAR = "har_chrome"
  /// `FirefoxHARModel`.
  case firefoxHAR = "har_firefox"
  /// `MitmproxyHARModel`.
  case mitmproxyHAR = "har_mitmproxy"
  /// `TrafficProbeModel`.
  case trafficProbe = "trafficprobe"

  /// The model.
  public func model(_ assumptions: ModelAssumptions = ModelAssumptions()) -> any TrafficModel {
    switch self {
    case .networkEye: NetworkEyeModel()
    case .hertz: HertzModel()
    case .wedjat: WedjatModel()
    case .doKit: DoKitModel()
    case .dogger: DoggerModel()
    case .ep: EpModel()
    case .llDebugTool: LLDebugToolModel()
    case .netfox: NetfoxModel()
    case .okHttp: OkHttpModel()
    case .taskMetrics: TaskMetricsModel(hasEmptyLine: assumptions.metricsHaveEmptyLine)
    case .chromeHAR: ChromeHARModel()
    case .firefoxHAR: FirefoxHARModel()
    case .mitmproxyHAR: MitmproxyHARModel()
    case .trafficProbe: TrafficProbeModel()
    }
  }
}
