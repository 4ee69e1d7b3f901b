import Testing

@testable import Estimates

/// Checks that the causes of lines and headers that are read in some way add up to the difference from the wire. Returns how many
/// readings had a figure.
func expectCausesAddUp(in message: WireMessage, lines: [LineReading], headers: [HeaderReading]) -> Int {
  let octets = message.row.octets
  var checked = 0
  for reading in lines {
    guard let figure = reading.figure(of: message) else { continue }
    #expect(figure == octets.startLine + reading.causes(of: message).octets)
    checked += 1
  }
  for reading in headers {
    guard let figure = reading.figure(of: message) else { continue }
    #expect(figure == octets.header + reading.causes(of: message).octets)
    checked += 1
  }
  return checked
}
