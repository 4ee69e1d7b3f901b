import CoreMetrics
import Testing

@testable import MetricsEndpoint

@Suite struct ExpositionTests {
  private func text(_ registry: PrometheusRegistry) -> String { String(decoding: registry.exposition(), as: UTF8.self) }

  @Test func page() {
    let registry = PrometheusRegistry()
    registry.describe("requests_total", as: "All \\ of\nthem, \"every\" one.")
    let requests = Counter(label: "requests_total", dimensions: [("path", "/a"), ("host", "h")], factory: registry)
    requests.increment(by: 3)
    Counter(label: "requests_total", dimensions: [("host", "h"), ("path", "/a")], factory: registry).increment()
    Counter(label: "requests_total", dimensions: [("host", "i")], factory: registry).increment(by: -7)
    Gauge(label: "open.now", factory: registry).record(1.5)
    Meter(label: "level", factory: registry).set(-2)
    CoreMetrics.Timer(label: "wait_seconds", factory: registry).recordNanoseconds(250_000_000)
    Recorder(label: "sizes", factory: registry).record(10)
    #expect(
      text(registry) == #"""
        # HELP requests_total All \\ of\nthem, "every" one.
        # TYPE requests_total counter
        requests_total{host="h",path="/a"} 4
        requests_total{host="i"} 0
        # TYPE open_now gauge
        open_now 1.5
        # TYPE level gauge
        level -2
        # TYPE wait_seconds summary
        wait_seconds_sum 0.25
        wait_seconds_count 1
        # TYPE sizes summary
        sizes_sum 10
        sizes_count 1

        """#)
  }

  @Test func labelsAreEscaped() {
    #expect(ExpositionText.labels([("a", "\\\"\n"), ("b", "é")]) == #"{a="\\\"\n",b="é"}"#)
    let labels = [("__name__", "x"), ("2-b", "y"), ("_2_b", "z")]
    #expect(ExpositionText.labels(labels) == #"{_2_b="y",label__name__="x"}"#)
    #expect(ExpositionText.metricName("9 a:b.c") == "_9_a:b_c")
    #expect(ExpositionText.metricName("") == "_")
  }

  @Test func octetsFromTheWireAreEscaped() {
    #expect(LabelText.string(Array("/a b/é%20".utf8)) == "/a b/é%20")
    #expect(LabelText.string([0x2f, 0x0a, 0x1b, 0x7f, 0x00, 0xff, 0xc3]) == #"/\x0a\x1b\x7f\x00\xff\xc3"#)
    #expect(LabelText.string(Array("\\x0a\u{202e}\u{200b}".utf8)) == #"\\x0a\xe2\x80\xae\xe2\x80\x8b"#)
    #expect(LabelText.string([0xed, 0xa0, 0x80]) == #"\xed\xa0\x80"#)
    #expect(LabelText.string(Array(repeating: 0x61, count: 256)) == String(repeating: "a", count: 256))
    #expect(LabelText.string(Array(repeating: 0x61, count: 9000)) == String(repeating: "a", count: 256) + "…")
  }

  @Test func numbers() {
    let numbers: [Double] = [.nan, .infinity, -.infinity, 0, 1e15, 0.1]
    #expect(numbers.map(ExpositionText.number) == ["NaN", "+Inf", "-Inf", "0", "1000000000000000", "0.1"])
  }

  @Test func seriesAreBounded() {
    let registry = PrometheusRegistry(seriesLimit: 2)
    for index in 0..<5 { Counter(label: "c", dimensions: [("i", "\(index)")], factory: registry).increment() }
    #expect(registry.refusedCount == 3)
    #expect(text(registry).split(separator: "\n").count == 3)
  }

  @Test func nameHasOneKind() {
    let registry = PrometheusRegistry()
    Counter(label: "c", factory: registry).increment()
    Gauge(label: "c", factory: registry).record(7)
    #expect(registry.refusedCount == 1)
    #expect(text(registry) == "# TYPE c counter\nc 1\n")
  }

  @Test func destroyedSeriesAreForgotten() {
    let registry = PrometheusRegistry(seriesLimit: 3)
    let counters = (0..<3).map { Counter(label: "c", dimensions: [("i", "\($0)")], factory: registry) }
    counters[0].destroy()
    Counter(label: "c", dimensions: [("i", "2")], factory: registry).increment()
    Counter(label: "c", dimensions: [("i", "3")], factory: registry).increment(by: Int64.max)
    Counter(label: "c", dimensions: [("i", "3")], factory: registry).increment()
    #expect(text(registry) == "# TYPE c counter\nc{i=\"1\"} 0\nc{i=\"2\"} 1\nc{i=\"3\"} \(Int64.max)\n")
    #expect(registry.refusedCount == 0)
  }
}
