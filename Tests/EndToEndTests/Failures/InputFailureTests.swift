import Foundation
import Testing

/// Input that cannot be used at all: one clear line, status 1, and nothing else. Input that cannot be read to its end: one clear line,
/// status 1, and a report of what was read.
@Suite struct InputFailureTests {
  @Test func textFile() throws {
    let scratch = try Scratch()
    let file = try scratch.file("notes.txt", Array("Dear diary, these are not packets.\n".utf8))
    try expectRefusal(of: file.path, saying: "not a capture file")
  }

  @Test func emptyFile() throws {
    let scratch = try Scratch()
    let file = try scratch.file("empty.pcap")
    try expectRefusal(of: file.path, saying: "it is empty")
  }

  /// Octets of no known format are refused as text is, also beside a capture.
  @Test(
    arguments: [
      [0, 1, 2, 3, 4, 5, 6, 7],
      // Of gzip, and inside it is nothing.
      [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func fileOfNoKnownFormat(_ octets: [UInt8]) throws {
    let scratch = try Scratch()
    let file = try scratch.file("noise", octets).path
    try expectRefusal(of: file, saying: "not a capture file: ")
    let capture = try Corpus.capture("pipelining").path
    for arguments in [[file], [capture, file], [file, capture]] {
      expectRefusal(try Sniffer.run(arguments), of: file, saying: "not a capture file: ")
    }
  }

  /// A report of the program itself, file by file and as a folder: the error says how two are compared.
  @Test func aReportInPlaceOfACapture() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("demo").path
    let folder = scratch.path("report")
    let made = try Sniffer.run([capture, "-q", "-o", folder, "--format", "csv,ndjson,sqlite,har,html,parquet"])
    #expect(made.status == 0)
    let log = Corpus.folder.appendingPathComponent("demo.log.csv").path
    for (command, arguments) in [("verify", ["--log", log]), ("models", [])] {
      let outcome = try Sniffer.run([command, capture, "-q", "-o", folder + "-" + command] + arguments)
      #expect(outcome.status == 0, "\(outcome.error)")
    }
    let sentence = "it is a report of sniffer; compare two by: sniffer diff BASE NEW"
    for folder in [folder, folder + "-verify", folder + "-models"] {
      let names = try FileManager.default.visibleNames(folder)
      #expect(!names.isEmpty)
      for file in names.map({ folder + "/" + $0 }) {
        let isEmpty = try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty
        let words = isEmpty ? "it is empty" : file.hasSuffix(".parquet") ? "it is a Parquet file" : sentence
        expectRefusal(try Sniffer.run([file]), of: file, saying: ": not a capture file: " + words)
      }
      try expectRefusal(of: folder, saying: ": no capture file is there: " + sentence)
    }
    // An app's log with such names of columns is none.
    let own = try scratch.file("app.csv", Array("host,path,method,status,requests\n".utf8)).path
    try expectRefusal(of: own, saying: "sniffer verify CAPTURE --log \(own)")
  }

  /// A sound file whose window is too large is not damaged.
  @Test func aWindowThatIsTooLarge() throws {
    let scratch = try Scratch()
    let file = try scratch.file("a.pcap.zst", [0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]).path
    try expectRefusal(of: file, saying: ": not supported: a zstd window of more than 128 MiB; ")
    try expectRefusal(of: file, saying: "zstd -dc --long=31 \(file) | sniffer -")
  }

  @Test func aFolderInPlaceOfAKeyLog() throws {
    let scratch = try Scratch()
    let outcome = try Sniffer.run([Corpus.capture("pipelining").path, "--keys", scratch.url.path])
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("\(scratch.url.path): not a key log: it is a directory"), "\(outcome.error)")
  }

  /// A partial is read from its end, which a pipe has not.
  @Test func aPipeInPlaceOfAPartial() throws {
    let scratch = try Scratch()
    let partial = scratch.path("p.partial")
    #expect(try Sniffer.run([Corpus.capture("pipelining").path, "--partial", partial, "-q"]).status == 0)
    for (words, name) in [(#""$1" merge <(cat "$2")"#, "/dev/fd/"), (#"cat "$2" | "$1" merge -"#, "-")] {
      let outcome = try Command.run(
        URL(fileURLWithPath: "/bin/bash"), ["-c", words, "bash", Sniffer.url.path, partial])
      #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorLines.count == 1)
      #expect(outcome.error.hasPrefix("sniffer: \(name)"))
      #expect(outcome.error.contains(": not a file: a partial has to be one"), "\(outcome.error)")
    }
  }

  /// A name that exists is no misspelling.
  @Test func aLinkThatLoops() throws {
    let scratch = try Scratch()
    let outcome = try Command.shell(
      #"cd "$2" && ln -s loop loop && exec "$1" loop"#, [Sniffer.url.path, scratch.url.path])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errorLines == ["sniffer: loop: cannot open: Too many levels of symbolic links"])
  }

  @Test func missingFile() throws {
    let scratch = try Scratch()
    try expectRefusal(of: scratch.path("missing.pcap"), saying: "No such file")
  }

  @Test func folderWithoutCaptures() throws {
    let scratch = try Scratch()
    try expectRefusal(of: scratch.url.path, saying: "no capture file is there")
  }

  @Test func pathUnderAFile() throws {
    let scratch = try Scratch()
    let file = try scratch.file("file")
    try expectRefusal(of: file.path + "/capture.pcap", saying: "Not a directory")
  }

  #if os(Linux)
    /// Names of files may have any octets: on their own, in a folder, and in a pattern.
    @Test func namesThatAreNotUTF8() throws {
      let scratch = try Scratch()
      let file = try scratch.file("capture.pcap", HandMadeCapture.octets(request: "", response: ""))
      let outcome = try Command.shell(
        #"""
        name=$(printf 'caf\351'); mkdir "$2/$name" && cp "$3" "$2/$name/$name.pcap" && cd "$2" &&
        "$1" "$name/$name.pcap" -o "$name/report" && "$1" "$name/$name.pcap" --format csv,parquet,sqlite &&
        "$1" "$name" -q && "$1" "$name/$name.pcap" --partial "$name/$name.partial" -q && "$1" merge "$name/$name.partial" -q &&
        "$1" "$name/*.pcap" --json && ls "$name/report/apis.csv" "$name/$name.pcap-report/apis.parquet" \
        "$name/$name.pcap-report/report.sqlite"
        """#, [Sniffer.url.path, scratch.url.path, file.path])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
      #expect(outcome.outputLines.filter { $0.hasPrefix("ledger balanced: ") }.count == 2)
      #expect(outcome.output.contains(#"capture: caf\xe9/caf\xe9.pcap"#))
      let missing = try Command.shell(#""$1" "$(printf 'x\377')""#, [Sniffer.url.path])
      #expect(missing.errorLines == [#"sniffer: x\xff: cannot open: No such file or directory"#])
    }

    /// Every option takes them, and names with a character that combines with the slash before it.
    @Test(arguments: [#"caf\351"#, #"\314\201x"#]) func otherFilesWithSuchNames(_ name: String) throws {
      let scratch = try Scratch()
      let capture = try Corpus.capture("nginx-keepalive")
      let log = try scratch.file("log", Array(AppLogFile(FileAnalysis.of(capture).report.messages).text.utf8))
      let line = #"""
        set -e; name=$(printf "$5"); mkdir "$2/$name"; cd "$2"; here="$2/$name"; capture="$here/$name.pcap"
        cp "$3" "$capture"; cp "$4" "$here/$name.csv"; printf 'host=host\n' >"$here/$name.map"
        sqlite3 "$here/$name.sqlite" ".import --csv $here/$name.csv log"
        for log in csv sqlite; do "$1" verify "$capture" --log "$here/$name.$log" --map-file "$here/$name.map"; done
        "$1" "$capture" -q -o "$here/$name report" --format csv,sqlite,parquet,ndjson,har,html
        if grep -F "$(basename "$2")" "$here/$name report/report.html"; then exit 1; fi # A page shows no folders.
        "$1" diff "$here/$name report" "$name/$name report/apis.csv"
        "$1" diff "$capture" "$name/$name report/report.sqlite"
        printf '/{id}\n' >"$here/$name.templates"; printf '2026-01-01T00:00:00Z,first\n' >"$here/$name.marks"; : >"$here/$name.keys"
        "$1" "$capture" -q --templates "$here/$name.templates" --marks "$here/$name.marks" --keys "$here/$name.keys"
        "$1" live --marks "$here/$name.marks" --mark second; grep second "$here/$name.marks"
        printf 'limits:\n  - host: "*"\n    requests: 9\n' >"$here/$name.yaml"
        "$1" budget "$capture" --budget "$here/$name.yaml"
        "$1" "$capture" -q --partial "$here/$name.partial"
        "$1" merge "$here/$name.partial" -q --partial "$here/$name.whole"; "$1" merge "$here/$name.whole" -q -o "$here/merged"
        for run in 1 2; do "$1" "$capture" -q -o "$here/$name resumed" --resume; done
        touch -d '2020-01-01' "$capture"; "$1" "$capture" -q -o "$here/$name resumed" --resume
        echo partials: $(ls "$here/$name resumed/partials" | wc -l)
        """#
      let outcome = try Command.run(
        URL(fileURLWithPath: "/bin/bash"),
        ["-c", line, "bash", Sniffer.url.path, scratch.url.path, capture.path, log.path, name])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.output) \(outcome.error)")
      // The partial of the capture before its change is gone.
      #expect(outcome.outputLines.last == "partials: 1")
    }
  #endif

  /// A device without an end is no key log.
  @Test func keyLogWithoutAnEnd() throws {
    let scratch = try Scratch()
    let file = try scratch.file("capture.pcap", HandMadeCapture.octets(request: "", response: ""))
    let outcome = try Sniffer.run([file.path, "--keys", "/dev/zero"])
    #expect(outcome.status == 1 && outcome.error.contains("/dev/zero: not supported: a key log of more than"))
    #expect(try Sniffer.run([file.path, "--keys", "/dev/null"]).status == 0)
  }

  @Test func emptyStandardInput() throws {
    let outcome = try Sniffer.run(["-"])
    expectFailure(outcome, naming: "standard input", saying: "it is empty", octets: 0)
  }

  @Test(
    .enabled(
      if: Environment.isRoot && Environment.tool("setpriv") != nil,
      "needs root and setpriv, to become a user with fewer rights"))
  func unreadableFile() throws {
    let setpriv = try #require(Environment.tool("setpriv"))
    let scratch = try Scratch()
    // The build folder may be closed to others, so the program comes along.
    let program = scratch.path("sniffer")
    try FileManager.default.copyItem(atPath: Sniffer.url.path, toPath: program)
    let file = try scratch.file("closed.pcap", HandMadeCapture.octets(request: "", response: ""))
    let modes = try Command.shell("chmod 755 \"$1\" \"$2\" && chmod 0 \"$3\"", [scratch.url.path, program, file.path])
    try #require(modes.status == 0, "\(modes.error)")
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", program]
    guard try Command.run(setpriv, nobody + ["--version"]).status == 0 else {
      return Environment.skip("unreadableFile", because: "another user cannot run the program or its libraries here")
    }
    let outcome = try Command.run(setpriv, nobody + [file.path])
    expectRefusal(outcome, of: file.path, saying: "Permission denied")
  }

  @Test(arguments: Corpus.plain.filter { ["nginx-keepalive", "sll-any", "snaplen-96"].contains($0.name) })
  func captureCutInMidPacket(_ capture: CaptureFile) throws {
    let packets = try PcapOctets(capture.url)
    let scratch = try Scratch()
    let count = packets.records.count * 2 / 3
    let kept = try scratch.file("kept.pcap", packets.part(0..<count))
    for extra in [1, 15, 16, packets.records[count].count - 1] {
      let octets = packets.part(0..<count) + packets.records[count].prefix(extra)
      let cut = try scratch.file("cut.pcap", octets)
      let analysis = try FileAnalysis([cut.path])
      let whole = PcapOctets.originalLength(packets.records[..<count])
      expectFailure(analysis.outcome, naming: cut.path, saying: "cut", octets: whole)
      #expect(analysis.outcome.error.contains("offset \(packets.part(0..<count).count)"))
      #expect(try analysis.report.differences(from: FileAnalysis([kept.path]).report).isEmpty)
    }
  }

  @Test func compressedCaptureCut() throws {
    let capture = try Corpus.capture("apache-logio")
    let octets = try [UInt8](Data(contentsOf: capture.url))
    let scratch = try Scratch()
    let cut = try scratch.file("cut.pcap.gz", Array(octets.prefix(octets.count / 2)))
    // What another program gets out of it, cut in mid-packet too.
    let plain = scratch.path("cut.pcap")
    _ = try Command.shell("gzip -dc \"$1\" > \"$2\"", [cut.path, plain])
    let analysis = try FileAnalysis([cut.path])
    #expect(analysis.outcome.status == 1)
    #expect(analysis.outcome.errorLines.count == 1)
    #expect(analysis.outcome.error.hasPrefix("sniffer: \(cut.path): "))
    #expect(analysis.report.messages.rows.count > 2)
    #expect(try analysis.report.differences(from: FileAnalysis([plain]).report).isEmpty)
  }

  /// Nobody waits for the analysis of one file to learn that the other one is none.
  @Test(arguments: [true, false])
  func ofTwoFilesOneIsNone(_ isBadFirst: Bool) throws {
    let scratch = try Scratch()
    let bad = try scratch.file("bad.pcap", Array("not packets".utf8)).path
    let good = try Corpus.capture("nginx-keepalive").path
    let folder = scratch.path("report")
    let outcome = try Sniffer.run((isBadFirst ? [bad, good] : [good, bad]) + ["-o", folder])
    expectRefusal(outcome, of: bad, saying: "not a capture file")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func theSameFileTwice() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive").path
    let link = scratch.path("link.pcap")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: capture)
    for again in [capture, link] {
      let outcome = try Sniffer.run([capture, again])
      #expect(outcome.status == 64)
      #expect(outcome.errorLines.first == "Error: \(again) is there twice: a packet would count twice.")
    }
    #expect(try Sniffer.run(["-", "-"]).status == 64)
  }

  @Test(arguments: [
    ("analyse", "analyze"), ("verfy", "verify"), ("lvie", "live"), ("budgets", "budget"), ("Diff", "diff"),
  ])
  func aMisspeltCommand(_ word: String, _ command: String) throws {
    let outcome = try Sniffer.run([word, Corpus.capture("nginx-keepalive").path])
    expectRefusal(outcome, of: word, saying: "; did you mean the command \(command)?")
  }

  @Test(arguments: ["capture", "x", "verify.pcap", "./verfy"])
  func whatIsNoCommand(_ word: String) throws {
    let outcome = try Sniffer.run([word])
    expectRefusal(outcome, of: word, saying: "No such file")
    #expect(!outcome.error.contains("did you mean"))
  }

  @Test func anAppsLogInPlaceOfACapture() throws {
    let scratch = try Scratch()
    let log = try scratch.file("traffic.har", Array("{\"log\": {}}".utf8)).path
    expectRefusal(try Sniffer.run([log]), of: log, saying: "sniffer verify CAPTURE --log \(log)")
  }

  @Test func everyBadFileIsNamed() throws {
    let scratch = try Scratch()
    let bad = [scratch.path("missing"), try scratch.file("text", [0x41]).path]
    let outcome = try Sniffer.run(bad)
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 2)
    for path in bad { #expect(outcome.errorLines.count { $0.hasPrefix("sniffer: \(path): ") } == 1) }
  }

  /// A file's name can have anything in it; the line about it is still one line without control characters.
  @Test func hostileNameOfAFile() throws {
    let scratch = try Scratch()
    let outcome = try Sniffer.run([scratch.path("a\nb\u{1b}[31m.pcap")])
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1)
    #expect(!outcome.errorOctets.contains { $0 < 0x20 && $0 != 0x0a })
  }

  private func expectRefusal(of path: String, saying word: String) throws {
    let scratch = try Scratch()
    let folder = scratch.path("report")
    expectRefusal(try Sniffer.run([path, "-o", folder]), of: path, saying: word)
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  private func expectRefusal(_ outcome: Outcome, of path: String, saying word: String) {
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.hasPrefix("sniffer: \(path): "))
    #expect(outcome.error.contains(word), "\(outcome.error)")
    #expect(outcome.outputOctets.isEmpty)
  }

  private func expectFailure(_ outcome: Outcome, naming path: String, saying word: String, octets: Int) {
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.hasPrefix("sniffer: \(path): "))
    #expect(outcome.error.contains(word))
    #expect(outcome.outputLines.last == "ledger balanced: \(octets) bytes")
  }
}
