// Writes seeds for each target, made of the captures and logs of this repository, into `<folder>/<target>/`.

import Foundation
import FuzzTargets

guard CommandLine.arguments.count == 3 else {
  print("usage: fuzz-seeds <folder of the repository> <folder for seeds>")
  exit(64)
}
let seeds = try Seeds(of: URL(fileURLWithPath: CommandLine.arguments[1]), limit: 400)
for (target, inputs) in seeds.inputs {
  let folder = URL(fileURLWithPath: CommandLine.arguments[2]).appendingPathComponent(target)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  for (number, input) in inputs.enumerated() {
    try Data(input).write(to: folder.appendingPathComponent("seed-\(number)"))
  }
}
