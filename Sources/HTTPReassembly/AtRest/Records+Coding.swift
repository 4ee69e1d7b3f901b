// The state of rows that are not final yet.

extension Message {
  /// Its state, but for the endpoints, which are filled in when it is final.
  mutating func code(_ coder: inout StateCoder, connection number: Int) {
    coder.number(&self.number)
    coder.number(&exchange)
    coder.integer(&connection, near: number)
    coder.kind(&kind)
    coder.time(&firstTime)
    coder.time(&lastTime)
    coder.flag(&isSecure)
    coder.text(&method)
    coder.text(&host)
    coder.kind(&hostSource)
    coder.text(&path)
    coder.integer(&queryLength)
    coder.integer(&status)
    coder.text(&version)
    coder.text(&contentType)
    coder.text(&contentEncoding)
    coder.text(&transferEncoding)
    coder.integer(&octets.startLine)
    coder.integer(&octets.header)
    coder.integer(&octets.body)
    coder.integer(&octets.framing)
    coder.integer(&octets.trailer)
    coder.integer(&decodedBody, near: octets.body)
    coder.integer(&retransmitted)
    coder.integer(&overhead)
    coder.integer(&missing)
    coder.kind(&exactness)
    coder.integer(&flags.rawValue)
  }
}

extension Exchange {
  /// Its state, but for the phases that are filled in when it is final.
  mutating func code(_ coder: inout StateCoder, connection number: Int) {
    coder.number(&self.number)
    coder.integer(&connection, near: number)
    coder.number(&request)
    coder.number(&response)
    coder.text(&method)
    coder.text(&host)
    coder.text(&path)
    coder.integer(&status)
    coder.time(&started)
    coder.integer(&timings.dns)
    coder.integer(&timings.connect)
    coder.integer(&requestLength)
    coder.integer(&responseLength)
    coder.integer(&ipLength)
  }
}

extension Connection {
  /// What is known of it while it is followed; the rest is filled in at its end.
  mutating func code(_ coder: inout StateCoder) {
    coder.time(&closed)
    coder.time(&opened)
    coder.integer(&setup)
    coder.integer(&teardown)
    coder.integer(&unattributed)
    coder.integer(&retransmitted)
    coder.integer(&missing)
    coder.integer(&messages)
    coder.integer(&flags.rawValue)
  }
}
