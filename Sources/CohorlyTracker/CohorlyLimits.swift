/// What a Cohorly server takes at once (contract cohorly.md, section 1.2).
package enum CohorlyLimits {
  /// Records of one request; one more and the whole batch is refused as 400.
  package static let records = 500
  /// Bytes of one request's body; kept well below the megabyte at which the server answers 413.
  package static let bytes = 900_000
}
