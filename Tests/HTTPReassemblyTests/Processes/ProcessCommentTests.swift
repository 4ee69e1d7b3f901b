import Testing

@testable import HTTPReassembly

/// What comments say of processes, and which say nothing.
@Suite struct ProcessCommentTests {
  private func comment(_ text: String) -> ProcessComment { ProcessComment(Array(text.utf8)) }

  private func identity(
    _ source: ProcessSource, _ pid: UInt32?, _ name: String, _ app: String = ""
  ) -> ProcessIdentity {
    ProcessIdentity(source: source, identifier: pid, name: Array(name.utf8), app: Array(app.utf8))
  }

  @Test func ptcpdump() {
    #expect(
      comment("PID: 12\nCommand: /usr/bin/curl\nArgs: curl http://a/\nParentPID: 1\nParentCmd: /bin/sh")
        == .process(identity(.ptcpdump, 12, "curl")))
    #expect(comment("PID: 12\r\nCmd: curl\r\nContainerName: web") == .process(identity(.ptcpdump, 12, "curl", "web")))
    #expect(
      comment("ContainerName: c\nPID:7\nCommand: /a b/c d\nPodName: p\nPodNamespace: n")
        == .process(identity(.ptcpdump, 7, "c d", "n/p")))
    #expect(comment("PID: 0\nCommand: ") == .nothing)
    #expect(comment("PID: twelve\nCommand: curl") == .nothing)
    #expect(comment("ParentPID: 12\nCommand: curl") == .nothing)
  }

  @Test func rustnet() {
    #expect(
      comment("rustnet process=curl pid=12 ppid=1 app=HTTP direction=outgoing")
        == .process(identity(.rustnet, 12, "curl")))
    #expect(
      comment("rustnet process=a=b pid=1 pod=p ns=n container=c") == .process(identity(.rustnet, 1, "a=b", "n/p")))
    #expect(comment("rustnet direction=incoming country=CH") == .nothing)
    #expect(comment("rustnetprocess=curl") == .nothing)
  }

  @Test func etl2pcapng() {
    #expect(comment("PID=12 TID=34") == .sender(identity(.etl2pcapng, 12, "")))
    #expect(comment("PID=12") == .sender(identity(.etl2pcapng, 12, "")))
    for text in ["PID=0 TID=1", "PID=4 TID=1", "PID=-1 TID=2", "PID=4294967295", "PID=99999999999 TID=1", "PID="] {
      #expect(comment(text) == .nothing, "\(text)")
    }
  }

  @Test func pymobiledevice3() {
    #expect(
      comment("PID: 512, ProcName: MyApp, EPID: 0, EProcName: , SVC: 0")
        == .process(identity(.pymobiledevice3, 512, "MyApp")))
    #expect(
      comment("PID: 60, ProcName: mDNSResponder, EPID: 512, EProcName: My, App, SVC: 27")
        == .process(identity(.pymobiledevice3, 60, "mDNSResponder", "My, App")))
    #expect(
      comment("PID: 0, ProcName: kernel_task, EPID: -1, EProcName: , SVC: 0")
        == .process(identity(.pymobiledevice3, 0, "kernel_task")))
    for pid in ["-1", "4294967295", ""] {
      #expect(comment("PID: \(pid), ProcName: , EPID: -1, EProcName: , SVC: 0") == .nothing)
      #expect(
        comment("PID: \(pid), ProcName: a\0b, EPID: -1, EProcName: , SVC: 0")
          == .process(identity(.pymobiledevice3, nil, "a")))
    }
    #expect(comment("PID: 512, ProcName: MyApp") == .nothing)
    #expect(comment("PID: 512, ProcName: a\n, EPID: 0, EProcName: , SVC: 0") == .nothing)
  }

  @Test func pcapdroid() {
    #expect(comment("u-10123") == .androidUser(10123))
    #expect(comment("u-0") == .androidUser(0))
    for text in ["u--1", "u-", "u-12a", "u-99999999999", "user-12", "see u-12"] {
      #expect(comment(text) == .nothing, "\(text)")
    }
  }

  /// Whatever a comment has in it, it is bounded, and nothing is found in free text.
  @Test func anyOctets() {
    for text in ["", "\n\n:", "the process curl, pid 12", "Command: curl", String(repeating: "a: b\n", count: 400)] {
      #expect(comment(text) == .nothing, "\(text.prefix(20))")
    }
    let long = String(repeating: "x", count: 2000)
    guard case .process(let process) = comment("PID: 1\nCommand: /\(long)\nContainerName: \(long)") else {
      Issue.record("no process")
      return
    }
    #expect(process.name.count == 255 && process.app.count == 255)
    #expect(ProcessComment([0x50, 0x49, 0x44, 0x3a, 0x20, 0x31, 0x0a, 0xff, 0x3a, 0x00]) != .nothing)
  }

  /// A process comes out of its text as it went in.
  @Test func textsOfProcesses() {
    var texts = TextPool()
    for process in [
      identity(.live, 0xffff_ffff, "curl", "app"), identity(.pktap, nil, "", ""), identity(.rustnet, 0, "a\0b", "\n"),
      ProcessIdentity(source: .ptcpdump, identifier: 1, name: [UInt8](repeating: 0xff, count: 300), app: [0]),
    ] {
      let id = texts.intern(process)
      #expect(texts.process(id) == process)
      let name = texts.internName(ofProcess: id)
      #expect(texts.octets(name) == process.name)
      texts.release([id, name])
    }
    #expect(texts.process(.none) == nil && texts.count == 0)
  }
}
