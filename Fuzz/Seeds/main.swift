// Writes seeds for each target, made of the captures of this repository, into `<folder>/<target>/`.

import Capture
import ContentCodings
import Foundation
import FuzzTargets
import HTTPReassembly

/// Seeds of one target are at most so many: more would only be read again and again.
let seedLimit = 400

guard CommandLine.arguments.count == 3 else {
  print("usage: fuzz-seeds <folder of captures> <folder for seeds>")
  exit(64)
}
let captures = URL(fileURLWithPath: CommandLine.arguments[1])
var seeds = SeedFolder(CommandLine.arguments[2], limit: seedLimit)
let names = try FileManager.default.contentsOfDirectory(atPath: captures.path).sorted()
for name in names where [".pcap", ".pcapng", ".gz", ".zst"].contains(where: { name.hasSuffix($0) }) {
  let path = captures.appendingPathComponent(name).path
  try seeds.addCapture(path)
  try seeds.addPackets(path)
  try seeds.addMessages(path)
}
