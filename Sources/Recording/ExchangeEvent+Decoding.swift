import Effects
import ProxyCore

extension ExchangeEvent {
  /// Why a stored event cannot be shown as one of ours.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String
  }

  /// Reads an event back from its JSON. Members that this version does not know are passed over.
  ///
  /// - Throws: when the text is not JSON, is another event, or lacks what every event has.
  package init(json: [UInt8]) throws(Fault) {
    let value: JSONValue
    do {
      value = try JSONReader().value(json)
    } catch {
      throw Fault(description: "not JSON: \(error)")
    }
    guard value["event"]?.string == Self.name else { throw Fault(description: "not a \(Self.name) event") }
    var record = ExchangeRecord()
    id = try Self.text(value, "id")
    guard let moment = Timestamp.milliseconds(of: try Self.text(value, "time")) else {
      throw Fault(description: "time is not a moment")
    }
    record.startedAtMilliseconds = moment
    guard let mode = ExchangeRecord.Mode(name: try Self.text(value, "mode")) else {
      throw Fault(description: "mode is unknown")
    }
    record.mode = mode
    record.method = try Self.text(value, "method")
    record.url = try Self.text(value, "url")
    record.user = value["user"]?.string
    record.status = Int(clamping: value["status"]?.integer ?? 0)
    record.requestBytes = value["requestBytes"]?.integer ?? 0
    record.responseBytes = value["responseBytes"]?.integer ?? 0
    record.durationMicroseconds = Self.microseconds(value["durationMs"]) ?? 0
    record.connectMicroseconds = Self.microseconds(value["connectMs"])
    record.firstByteMicroseconds = Self.microseconds(value["firstByteMs"])
    record.reusedConnection = value["reusedConnection"]?.bool ?? false
    record.rules = Self.texts(value["rules"])
    record.injected = Self.texts(value["injected"])
    record.visitorID = value["visitorID"]?.string
    record.errorCode = value["error"]?.string
    self.record = record
  }

  private static func text(_ value: JSONValue, _ name: String) throws(Fault) -> String {
    guard let text = value[name]?.string else { throw Fault(description: "\(name) is missing") }
    return text
  }

  private static func texts(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }

  private static func microseconds(_ value: JSONValue?) -> Int64? {
    switch value {
    case .integer(let milliseconds):
      let product = milliseconds.multipliedReportingOverflow(by: 1_000)
      return product.overflow ? nil : product.partialValue
    case .double(let milliseconds): return Int64(exactly: (milliseconds * 1_000).rounded())
    default: return nil
    }
  }
}
