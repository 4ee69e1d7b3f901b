import Testing

@testable import Reports

@Suite struct WorkflowCommandTests {
  @Test func everyPropertyIsItsOwn() {
    let command = WorkflowCommand(
      level: .error, file: "a,b:c%.yaml", line: 3, title: "x::y", message: "100 % of 2:3, 4\r\n::error::no")
    #expect(
      command.text
        == "::error file=a%2Cb%3Ac%25.yaml,line=3,title=x%3A%3Ay::100 %25 of 2:3, 4%0D%0A::error::no")
    #expect(WorkflowCommand(level: .notice, title: "t", message: "").text == "::notice title=t::")
  }
}
