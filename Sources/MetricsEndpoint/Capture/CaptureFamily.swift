/// The metrics of a capture that belong to no API and no host, by name.
enum CaptureFamily: String, CaseIterable {
  case build = "sniffer_build_info"
  case packets = "sniffer_packets_total"
  case packetOctets = "sniffer_packet_bytes_total"
  case octets = "sniffer_ledger_bytes_total"
  case tls = "sniffer_tls_bytes_total"
  case quic = "sniffer_quic_bytes_total"
  case dropped = "sniffer_dropped_packets_total"
  case truncated = "sniffer_truncated_packets_total"
  case missing = "sniffer_missing_bytes_total"
  case anomalies = "sniffer_anomalies_total"
  case connections = "sniffer_connections"
  case delay = "sniffer_analysis_delay_seconds"
  case pending = "sniffer_pending_bytes"
  case apisLabelled = "sniffer_apis_labelled"
  case apisInOther = "sniffer_apis_in_other"
  case hostsLabelled = "sniffer_hosts_labelled"
  case hostsInOther = "sniffer_hosts_in_other"

  /// The HELP line.
  var help: String {
    switch self {
    case .build: "Always 1; the label says which version runs."
    case .packets: "Packets that were analyzed."
    case .packetOctets: "Bytes of these packets, as they were on the wire."
    case .octets: "Bytes by class of the ledger; with the pending ones they add up to the packets' bytes."
    case .tls: "Bytes of the ledger's class tls, by what they are."
    case .quic: "Bytes of the ledger's class quic, by what they are."
    case .dropped: "Packets lost, by where: all other counts are too low by what was in them."
    case .truncated: "Packets whose captured length is below their original length."
    case .missing: "Bytes of TCP streams that were not captured."
    case .anomalies: "Oddities of the traffic, by name."
    case .connections: "Connections that are being followed."
    case .delay: "How long ago the packets were captured that are analyzed now; 0 if none wait."
    case .pending: "Bytes that are in no class yet."
    case .apisLabelled: "APIs with series of their own."
    case .apisInOther: "APIs summed under host=\"other\", path=\"other\": those with fewer bytes than the others."
    case .hostsLabelled: "Hosts with series of their own."
    case .hostsInOther: "Hosts summed under host=\"other\": those with fewer bytes than the others."
    }
  }
}
