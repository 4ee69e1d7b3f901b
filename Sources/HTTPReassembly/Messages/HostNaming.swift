extension Run {
  /// Names the host of a request whose fields name none: by the layer below, or else by its server's address (MEASURES §2).
  mutating func nameHost(of row: RowIndex, server side: Side) {
    guard rows[message: row].hostSource == .unknown else { return }
    let beneath = connection.beneath
    guard beneath.serverName == .none else {
      texts.retain(beneath.serverName)
      rows[message: row].host = beneath.serverName
      rows[message: row].hostSource = beneath.isNamePublic ? .publicServerName : .serverNameIndication
      return
    }
    let server = connection.endpoints[side]
    let name = shared.names.name(of: server.address)
    rows[message: row].host = texts.intern(name ?? Array(server.address.description.utf8))
    rows[message: row].hostSource = name == nil ? .address : .dns
  }
}
