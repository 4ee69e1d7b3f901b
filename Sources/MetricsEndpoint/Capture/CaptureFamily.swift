/// The metrics of a capture, by their names.
enum CaptureFamily: String, CaseIterable {
  case packets = "sniffer_packets_total"
  case packetOctets = "sniffer_packet_octets_total"
  case octets = "sniffer_octets_total"
  case dropped = "sniffer_dropped_packets_total"
  case truncated = "sniffer_truncated_packets_total"
  case missing = "sniffer_missing_octets_total"
  case anomalies = "sniffer_anomalies_total"
  case connections = "sniffer_connections"
  case delay = "sniffer_analysis_delay_seconds"
  case pending = "sniffer_pending_octets"
  case apisLabelled = "sniffer_apis_labelled"
  case apisInOther = "sniffer_apis_in_other"
  case apiRequests = "sniffer_api_requests_total"
  case apiResponses = "sniffer_api_responses_total"
  case apiOctets = "sniffer_api_octets_total"
  case apiErrors = "sniffer_api_errors_total"

  /// The HELP line.
  var help: String {
    switch self {
    case .packets: "Packets that were analyzed."
    case .packetOctets: "Octets of these packets, as they were on the wire."
    case .octets: "Octets by class of the ledger; with the pending ones they add up to the packets' octets."
    case .dropped: "Packets lost, by where: all other counts are too low by what was in them."
    case .truncated: "Packets whose captured length is below their original length."
    case .missing: "Octets of TCP streams that were not captured."
    case .anomalies: "Oddities of the traffic, by name."
    case .connections: "Connections that are being followed."
    case .delay: "How long ago the packets were captured that are analyzed now; 0 if none wait."
    case .pending: "Octets that are in no class yet."
    case .apisLabelled: "APIs with series of their own."
    case .apisInOther: "APIs summed under host=\"other\", path=\"other\" because there are no more series."
    case .apiRequests: "Requests, by API."
    case .apiResponses: "Final responses, by API."
    case .apiOctets: "Octets by API, direction (up: requests, down: responses) and part."
    case .apiErrors: "Final responses with an error status, by API."
    }
  }
}
