import ContentCodings
import HTTPReassembly
import TestSupport
import Testing

/// What an observer is told is what was sent, however it was cut.
@Suite struct MessageObserverTests {
  private func observe(_ script: SplitsScript, cuts: [Peer: Set<Int>]) -> (CollectingObserver, Analysis) {
    let observer = CollectingObserver()
    let packets = script.segments(cuts: cuts).segments.map { $0.packet() }
    return (observer, Analysis(packets, decoders: SystemContentDecoders(), observer: observer))
  }

  @Test func tellsWhatMessagesSay() throws {
    let (observer, analysis) = observe(.everything, cuts: [:])
    #expect(analysis.violations == [])
    #expect(observer.messages.count == analysis.messages.count)
    let first = try #require(observer.messages[1])
    #expect(first.startLine == "GET /keep-alive?q=1 HTTP/1.1")
    #expect(first.fields == ["Host|a.example"])
    let upload = try #require(analysis.requests.first { $0.path == "/up" })
    #expect(observer.messages[upload.number]?.content == Array("GET / HTTP/1.1\r".utf8))
    for message in analysis.messages {
      let said = try #require(observer.messages[message.number])
      #expect(said.ends == 1)
      #expect(said.content.count == message.octets.body)
      #expect(said.decodedLength == message.decodedBody)
      #expect(said.decoded == said.content)
    }
  }

  @Test(arguments: SplitsScript.all.indices)
  func tellsTheSameCutAtEveryPosition(_ index: Int) {
    let script = SplitsScript.all[index].script
    let (expected, _) = observe(script, cuts: [:])
    for peer in [Peer.client, .server] {
      for cut in 1..<script.length(peer) {
        let (observer, _) = observe(script, cuts: [peer: [cut]])
        #expect(observer.messages == expected.messages, "cut after octet \(cut) of \(peer)")
      }
    }
  }

  @Test func tellsDecodedContent() throws {
    // One stored block (RFC 1951 §3.2.4) in a gzip member (RFC 1952): "hello" with its CRC-32.
    let coded: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x86, 0xa6, 0x10, 0x36, 5,
      0, 0, 0,
    ]
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/"))
    dialogue.send(
      .server, Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n".utf8) + coded
    )
    dialogue.close()
    let observer = CollectingObserver()
    _ = Analysis(dialogue.packets(), decoders: SystemContentDecoders(), observer: observer)
    let said = try #require(observer.messages[2])
    #expect(said.content == coded)
    #expect(said.decoded == Array("hello".utf8))
    #expect(said.decodedLength == 5)
  }

  @Test func endsWhatIsNeverComplete() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nBad line\r\n\r\nonly this")
    let observer = CollectingObserver()
    _ = Analysis(dialogue.packets(), observer: observer)
    let said = try #require(observer.messages[2])
    #expect(said.fields == ["Content-Length|100", "?Bad line"])
    #expect(said.content == Array("only this".utf8))
    #expect(said.ends == 1)
    #expect(said.decodedLength == nil)
  }
}
