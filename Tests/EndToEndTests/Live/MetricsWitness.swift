import Foundation
import Testing

/// Readers that others wrote of a page of metrics: Prometheus' own client, and `promtool` where it is installed. The dashboard in
/// `packaging` is held against the same page.
enum MetricsWitness {
  private static let packages = PythonPackages(
    "metrics-witness", ["prometheus-client==0.26.0", "grafana-foundation-sdk==1769699998!10.1.0"],
    modules: ["prometheus_client", "grafana_foundation_sdk"])
  static let dashboard = Corpus.folder.deletingLastPathComponent()
    .appendingPathComponent("packaging/grafana-dashboard.json")

  /// Checks a page, and the dashboard's queries against it.
  static func check(_ page: Outcome) throws {
    let scratch = try Scratch()
    let file = try scratch.file("metrics.txt", page.outputOctets)
    let rules = scratch.path("rules.yaml")
    if let python = packages.python {
      let outcome = try Command.run(python, ["-c", script, file.path, dashboard.path, rules])
      #expect(outcome.status == 0 && outcome.output.hasPrefix("checked "), "\(outcome.output)\(outcome.error)")
    } else {
      Environment.skip("MetricsWitness", because: packages.reason)
    }
    guard let promtool = Environment.tool("promtool") else {
      return Environment.skip("MetricsWitness", because: "promtool is not in PATH")
    }
    let lint = try Command.run(promtool, ["check", "metrics"], input: file)
    #expect(lint.status == 0 && lint.error.isEmpty && lint.output.isEmpty, "\(lint.output)\(lint.error)")
    let syntax = try Command.run(promtool, ["check", "rules", rules])
    #expect(syntax.status == 0, "\(syntax.output)\(syntax.error)")
  }

  private static let script = #"""
    import json, re, sys
    from prometheus_client.parser import text_string_to_metric_families
    from grafana_foundation_sdk.cog import variants
    from grafana_foundation_sdk.models.dashboard import Dashboard

    families = {family.name: family for family in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read())}
    bad, names, seen = [], set(), set()
    for family in families.values():
        if not family.documentation: bad.append("no help: " + family.name)
        if family.type not in ("counter", "gauge", "histogram"): bad.append("type of %s: %s" % (family.name, family.type))
        if "octet" in family.name: bad.append("no base unit: " + family.name)
        if family.type == "gauge" and family.name.endswith("_total"): bad.append("a gauge called a counter: " + family.name)
        for sample in family.samples:
            names.add(sample.name)
            key = (sample.name, tuple(sorted(sample.labels.items())))
            if key in seen: bad.append("twice: %r" % (key,))
            seen.add(key)
            if sample.value < 0: bad.append("negative: %r" % (key,))
            # The parser gives a counter its name without the suffix, which it has to have.
            if family.type == "counter" and not sample.name.endswith("_total"): bad.append("counter " + sample.name)
        if family.type == "histogram":
            rows = {}
            for sample in family.samples:
                labels = dict(sample.labels)
                bound = labels.pop("le", None)
                row = rows.setdefault(tuple(sorted(labels.items())), {"buckets": []})
                if bound is not None: row["buckets"].append((float(bound), sample.value))
                else: row[sample.name[len(family.name):]] = sample.value
            for labels, row in rows.items():
                counts = [count for _, count in sorted(row["buckets"])]
                if counts != sorted(counts) or max(row["buckets"])[0] != float("inf"): bad.append("buckets of %r" % (labels,))
                if counts[-1] != row["_count"] or row["_sum"] < 0: bad.append("count of %r" % (labels,))
    if next(sample.value for sample in families["sniffer_build_info"].samples) != 1: bad.append("build_info")

    document = json.load(open(sys.argv[2], encoding="utf-8"))
    Dashboard.from_json(document)
    queries, ids = [], []
    for panel in document["panels"]:
        ids.append(panel["id"])
        place = panel["gridPos"]
        if not (0 <= place["x"] and place["x"] + place["w"] <= 24): bad.append("place of " + panel["title"])
        if panel["type"] == "row": continue
        if not panel["description"] or not panel["targets"]: bad.append("panel " + panel["title"])
        queries += [target["expr"] for target in panel["targets"]]
    if len(set(ids)) != len(ids): bad.append("panels with the same number")
    queries += [re.fullmatch(r"label_values\((\w+), \w+\)", item["query"]["query"]).group(1)
                for item in document["templating"]["list"] if item["type"] == "query"]
    variables = {item["name"] for item in document["templating"]["list"]}
    for query in queries:
        used = re.findall(r"\b(?:sniffer|process)_\w+", query)
        if not used: bad.append("no metric: " + query)
        bad += ["no such metric: %s in %s" % (name, query) for name in used if name not in names]
        for variable in re.findall(r"\$(\w+)", query):
            if variable not in variables | {"__rate_interval"}: bad.append("no such variable: " + variable)
        for grouping in re.findall(r"by \(([^)]*)\)", query):
            labels = {label for name in used for family in families.values() for sample in family.samples
                      if sample.name == name for label in sample.labels} | {"instance"}
            bad += ["no such label: %s in %s" % (label, query) for label in grouping.split(", ") if label not in labels]
    # As rules, which promtool reads the syntax of.
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        rules = [{"record": "r:%d" % index, "expr": query.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$host", ".*")}
                 for index, query in enumerate(queries)]
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
    print("\n".join(bad[:20]) if bad else "checked %d metrics, %d queries" % (len(names), len(queries)))
    """#
}
