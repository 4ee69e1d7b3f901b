import CPcap
import Packets

extension LinkType {
  /// libpcap's number for this link type on this system (`DLT_`), which differs from the registry's where systems had
  /// numbered on their own before there was one.
  var dataLinkType: Int32 {
    switch self {
    case .raw, .rawBSD, .rawOpenBSD: DLT_RAW
    case .loop: DLT_LOOP
    case .pktap: DLT_PKTAP
    case LinkType(rawValue: 100): DLT_ATM_RFC1483
    case LinkType(rawValue: 106): DLT_ATM_CLIP
    case LinkType(rawValue: 109): DLT_ENC
    default: Int32(truncatingIfNeeded: rawValue)
    }
  }

  /// The link type of libpcap's number on this system.
  init(dataLinkType: Int32) {
    switch dataLinkType {
    case DLT_RAW: self = .raw
    case DLT_LOOP: self = .loop
    case DLT_PKTAP: self = .pktap
    case DLT_ATM_RFC1483: self.init(rawValue: 100)
    case DLT_ATM_CLIP: self.init(rawValue: 106)
    case DLT_ENC: self.init(rawValue: 109)
    default: self.init(rawValue: UInt32(truncatingIfNeeded: dataLinkType))
    }
  }
}
