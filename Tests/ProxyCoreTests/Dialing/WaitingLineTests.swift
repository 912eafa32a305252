import ProxyCore
import TestKit
import Testing

@Suite struct WaitingLineTests {
  @Test func servesInTheOrderOfComing() {
    var line = WaitingLine<Int>()
    for number in 0..<1000 { _ = line.join(number) }
    #expect(line.count == 1000)
    for number in 0..<1000 {
      #expect(line.first == number)
      #expect(line.removeFirst() == number)
    }
    #expect(line.isEmpty)
    #expect(line.removeFirst() == nil)
  }

  @Test func letsAnybodyLeave() {
    var line = WaitingLine<String>()
    let a = line.join("a")
    let b = line.join("b")
    let c = line.join("c")
    line.leave(b)
    line.leave(b)
    #expect(line.count == 2)
    line.leave(a)
    #expect(line.first == "c")
    line.leave(c)
    #expect(line.isEmpty)
    #expect(line.first == nil)
    _ = line.join("d")
    // Tickets of before name nobody who came later.
    for ticket in [a, b, c] { line.leave(ticket) }
    #expect(line.removeFirst() == "d")
  }

  @Test func holdsToASimpleListWhateverHappens() {
    var generator = SeededGenerator(seed: 8305)
    var line = WaitingLine<Int>()
    var model: [(ticket: Int, number: Int)] = []
    for number in 0..<20_000 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0, 1: model.append((line.join(number), number))
      case 2: #expect(line.removeFirst() == (model.isEmpty ? nil : model.removeFirst().number))
      default:
        guard let index = model.indices.randomElement(using: &generator) else { continue }
        line.leave(model.remove(at: index).ticket)
      }
      #expect(line.count == model.count)
      #expect(line.first == model.first?.number)
    }
  }
}
