/// What is wrong with a message; each case is one broken rule.
package enum WireFault: UInt8, Error, Sendable, CaseIterable {
  case malformedRequestLine, malformedStatusLine, unsupportedVersion, targetTooLong, headTooLarge, tooManyFields
  case malformedFieldName, whitespaceBeforeColon, forbiddenByteInValue, bareLineFeed, bareCarriageReturn, foldedLine
  case whitespaceBeforeFirstField
  case missingHost, repeatedHost, malformedHost
  case malformedContentLength, conflictingContentLength
  case malformedTransferCoding, unsupportedTransferCoding, transferCodingInHTTP10, transferCodingAndContentLength
  case malformedChunkSize, chunkExtensionTooLong, malformedChunkEnd, malformedTrailer, trailerTooLarge

  /// The status that answers the fault in a request (RFC 9110, section 15.5 and 15.6).
  package var requestStatus: Int {
    switch self {
    case .targetTooLong: 414
    case .headTooLarge, .tooManyFields, .trailerTooLarge: 431
    case .unsupportedVersion: 505
    case .unsupportedTransferCoding: 501
    default: 400
    }
  }
}
