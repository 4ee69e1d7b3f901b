import Foundation
import Testing

/// Each room of a target names only rooms below it: no circle, so that a room can be changed without opening the others.
@Suite struct HouseTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources").standardized

  /// The Swift files of a target.
  private static func files(_ target: String) -> [House.File] {
    let folder = sources.appendingPathComponent(target)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted().compactMap { path in
      (try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)).map { (path, $0) }
    }
  }

  /// All targets with Swift files.
  private static let targets = ((try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []).sorted()
    .filter { !files($0).isEmpty }

  @Test(arguments: targets) func hasNoCircle(_ target: String) {
    let house = House(Self.files(target))
    #expect(house.circles.isEmpty, "\(target): \(house.explanation)")
  }

  /// The test above looks at something.
  @Test func thereAreRooms() {
    #expect(Self.targets.count > 8)
    let rooms = Set(House(Self.files("Estimates")).uses.flatMap { [$0.from, $0.to] })
    #expect(rooms == ["Errors", "Logs", "Models", "Seen", "Verification", "Wire"])
  }

  // MARK: Made-up sources

  private static let two: [House.File] = [
    ("Upper/A.swift", "struct A { let b: B }"), ("Lower/B.swift", "package struct B {}"),
  ]

  @Test func roomsAboveEachOtherAreNoCircle() {
    let house = House(Self.two)
    #expect(house.circles.isEmpty)
    #expect(house.uses == [.init(from: "Upper", to: "Lower", name: "B", file: "Upper/A.swift")])
  }

  @Test func aCircleIsFoundAndExplained() {
    let house = House(Self.two + [("Lower/Inner/C.swift", "func f(_ a: inout A) {}")])
    #expect(house.circles == [["Lower", "Upper"]])
    #expect(
      house.explanation == """
        Lower, Upper form a circle:
          Lower names Upper's A in Lower/Inner/C.swift
          Upper names Lower's B in Upper/A.swift
        """)
  }

  @Test func aCircleOfThreeIsFoundAndWhatHangsOnItIsNot() {
    let house = House([
      ("One/A.swift", "class A: B {}"), ("Two/B.swift", "class B { var c: C? }"),
      ("Three/C.swift", "class C { init(_: A) {} }"),
      ("Above/D.swift", "struct D { var a: A }"), ("Below/E.swift", "enum E {}"), ("Three/F.swift", "let e: [E] = []"),
    ])
    #expect(house.circles == [["One", "Three", "Two"]])
  }

  @Test func twoCirclesAreTwo() {
    let house = House(
      Self.two + [
        ("Lower/C.swift", "let a: A? = nil"), ("X/X.swift", "struct X { var y: Y }"),
        ("Y/Y.swift", "struct Y { var x: [X] }"),
      ])
    #expect(house.circles == [["Lower", "Upper"], ["X", "Y"]])
  }

  @Test(arguments: [
    "// A is above", "/* A /* A */ A */", "let a = \"A\"", "let a = \"\\\"A\"", "let a = #\"\"A\"#", "let a = #/A/#",
    "let a = \"\"\"\n  A \"A\" A\n  \"\"\"", "let a = \"\\(\"A\") A\"",
  ])
  func commentsAndStringsNameNothing(_ line: String) {
    #expect(House(Self.two + [("Lower/C.swift", line + "\nlet c = 1")]).circles.isEmpty)
  }

  @Test(arguments: [
    "let a = \"\\(A())\"", "let a = #\"\\#(A())\"#", "let a = \"//\" + A()", "/* */ let a = A()",
    "let a = f(\")\", A())",
    "extension A {}",
  ])
  func codeBesideThemDoes(_ line: String) {
    #expect(House(Self.two + [("Lower/C.swift", line)]).circles == [["Lower", "Upper"]])
  }

  @Test func theHallIsPartOfNoCircle() {
    let house = House([("A.swift", "struct A { var b: B }"), ("Lower/B.swift", "struct B { var a: [A] }")])
    #expect(house.circles.isEmpty && house.uses.isEmpty)
  }

  @Test func functionsCountWhereTheyAreCalled() {
    let upper: House.File = ("Upper/A.swift", "func made() -> B { B() }")
    let lower = Self.two[1]
    #expect(House([upper, lower, ("Lower/C.swift", "let made = 1, b = made")]).circles.isEmpty)
    #expect(House([upper, lower, ("Lower/C.swift", "let b = x.made()")]).circles.isEmpty)
    #expect(House([upper, lower, ("Lower/C.swift", "let b = made()")]).circles == [["Lower", "Upper"]])
  }

  /// Members, private types of another file, and names that two rooms have, are not what another room declares.
  @Test(arguments: [
    "let c = B.A.self", "private struct A {}\nlet c = A()", "struct A {}\nlet c = A()",
    "struct C { struct A {}; let a: A }",
  ])
  func otherThingsOfTheSameNameDoNot(_ text: String) {
    #expect(House(Self.two + [("Lower/C.swift", text)]).circles.isEmpty)
  }
}
