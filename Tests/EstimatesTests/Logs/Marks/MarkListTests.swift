import HTTPReassembly
import Testing

@testable import Estimates

/// The files of marks, in every form.
@Suite struct MarkListTests {
  private func marks(_ text: String) throws -> [String] {
    try MarkList.marks(in: Array(text.utf8)).map { "\($0.time) \(String(decoding: $0.label, as: UTF8.self))" }
  }

  private func fault(_ text: String) -> String? {
    do {
      _ = try marks(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    "1700000000.25,login", "1700000000250,login", "1700000000250000,login", "2023-11-14T22:13:20.25Z,login",
    "2023-11-14 23:13:20.250+01:00,login", "2023-11-14T22:13:20.25,login", " 1700000000.25 ,login",
    "\"1700000000.25\",\"login\"", "\u{feff}1700000000.25,login\r\n", "\n\r\n1700000000.25,login\n\n",
    "time,label\n1700000000.25,login\n", "Label,Device,Timestamp\r\nlogin,phone,1700000000.25\r\n",
    #"{"time": 1700000000.25, "label": "login"}"#, #"{"label":"login","time":1700000000250,"more":[1,{}]}"#,
    #"{"timestamp":"2023-11-14T22:13:20.25Z","name":"login"}"#,
  ])
  func formsOfOneMark(_ text: String) throws {
    #expect(try marks(text) == ["1700000000250000000 login"])
  }

  @Test func labelsAreWhatTheyAre() throws {
    #expect(
      try marks(
        "1700000000,\"a, \"\"b\"\"\"\n1700000001,\n1700000002,=1+2\n{\"time\":1700000003,\"label\":\"\\u001b[1m\"}\n")
        == [
          "1700000000000000000 a, \"b\"", "1700000001000000000 ", "1700000002000000000 =1+2",
          "1700000003000000000 \u{1b}[1m",
        ])
    #expect(try marks("") == [])
  }

  @Test func faultsNameTheirLine() {
    #expect(fault("1700000000,a\nsoon,b")?.hasPrefix("line 2: expected a time") == true)
    #expect(fault("a,b")?.hasPrefix("line 1: expected a time") == true)
    #expect(fault("1700000000") == "line 1: expected a time, a comma and a label")
    #expect(fault("1700000000,\"a") == "line 1: a quote that nobody closes")
    #expect(fault("1700000000,\"") == "line 1: a quote that nobody closes")
    #expect(fault("1700000000,\"a\"b") == "line 1: something after a closing quote")
    #expect(fault("{") == "line 1: is not a JSON object")
    #expect(fault("{\"label\":\"a\"}")?.contains("as time") == true)
    #expect(fault("{\"time\":1700000000,\"label\":1}") == "line 1: expected a text as label")
    #expect(fault("1700000000," + String(repeating: "a", count: 257)) == "line 1: a label of more than 256 bytes")
    #expect(fault("1700000000," + String(repeating: "a", count: 5000)) == "line 1: has more than 4096 bytes")
    let many = String(repeating: "1700000000,a\n", count: TimeMark.limit)
    #expect(fault(many) == nil)
    #expect(fault(many + "1700000000,a") == "line 10001: there are more than 10000 marks")
    #expect(throws: MarkFault.self) { try MarkList.marks(in: Array("1700000000,".utf8) + [0xff]) }
  }

  @Test func anyOctetsAreRead() {
    var random = SystemRandomNumberGenerator()
    let start = Array("time,label\n1700000000.5,\"a\"\"b\"\n{\"time\":1700000000,\"label\":\"x\"}\n".utf8)
    for _ in 0..<2000 {
      var octets = start
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? MarkList.marks(in: octets)
    }
  }
}
