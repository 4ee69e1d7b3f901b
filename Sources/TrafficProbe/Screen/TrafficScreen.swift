#if canImport(SwiftUI)
  import SwiftUI

  /// A screen for an app's debug menu: its APIs, most octets first.
  ///
  /// ```swift
  /// NavigationStack { TrafficScreen(probe) }
  /// ```
  public struct TrafficScreen: View {
    private let probe: TrafficProbe
    @State private var table = TrafficSummary([])
    @State private var text = ""
    @State private var problem: String?
    @State private var isOn: Bool

    /// A screen of this probe's records.
    public init(_ probe: TrafficProbe) {
      self.probe = probe
      _isOn = State(initialValue: probe.isOn)
    }

    /// The list.
    public var body: some View {
      List {
        Toggle("Meter", isOn: meters)
        if let problem { Text(problem) }
        ForEach(table.rows(containing: text)) { row in
          VStack(alignment: .leading) {
            HStack {
              Text(row.path).lineLimit(1).truncationMode(.middle)
              Spacer()
              Text(TrafficSummary.words(row.octets)).monospacedDigit()
            }
            Text(detail(of: row)).font(.caption).foregroundStyle(.secondary)
            ProgressView(value: row.share)
          }
        }
      }
      .searchable(text: $text)
      .navigationTitle(TrafficSummary.words(table.octets))
      .task { await load() }
      .refreshable { await load() }
    }

    private var meters: Binding<Bool> {
      Binding(
        get: { isOn },
        set: {
          isOn = $0
          probe.isOn = $0
        })
    }

    private func detail(of row: TrafficSummary.Row) -> String {
      let octets = "\(TrafficSummary.words(row.sent)) sent, \(TrafficSummary.words(row.received)) received"
      let failures = row.failures > 0 ? ", \(row.failures) failed" : ""
      return "\(row.host): \(row.requests) requests\(failures), \(octets)"
    }

    /// Reads the store off the main thread.
    private func load() async {
      let probe = self.probe
      do {
        table = TrafficSummary(try await Task.detached { try probe.traffic() }.value)
        problem = nil
      } catch {
        problem = error.localizedDescription
      }
    }
  }
#endif
