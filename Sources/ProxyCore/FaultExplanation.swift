package import HTTPWire

extension WireFault {
  /// The fault in words, for an error page.
  package var explanation: String {
    switch self {
    case .malformedRequestLine: "the request line is not method, target and version with single spaces"
    case .malformedStatusLine: "the status line is not version, three digits and reason"
    case .unsupportedVersion: "the version is neither HTTP/1.0 nor HTTP/1.1"
    case .targetTooLong: "the request line is longer than the limit"
    case .headTooLarge: "the head is larger than the limit"
    case .tooManyFields: "the head has more fields than the limit"
    case .malformedFieldName: "a field name is empty or has a character that is not allowed"
    case .whitespaceBeforeColon: "there is white space before the colon of a field"
    case .forbiddenByteInValue: "a field value has a control character"
    case .bareLineFeed: "a line ends with LF alone"
    case .bareCarriageReturn: "there is a CR without LF"
    case .foldedLine: "a field goes on over several lines"
    case .whitespaceBeforeFirstField: "there is white space before the first field"
    case .missingHost: "there is no Host field"
    case .repeatedHost: "there is more than one Host field"
    case .malformedHost: "the Host field is not a host with an optional port"
    case .malformedContentLength: "Content-Length is not a number"
    case .conflictingContentLength: "there is more than one Content-Length"
    case .malformedTransferCoding: "the Transfer-Encoding field is malformed"
    case .unsupportedTransferCoding: "the transfer coding is not chunked"
    case .transferCodingInHTTP10: "there is a Transfer-Encoding in an HTTP/1.0 message"
    case .transferCodingAndContentLength: "there are both Transfer-Encoding and Content-Length"
    case .malformedChunkSize: "a chunk size is not a hexadecimal number"
    case .chunkExtensionTooLong: "a chunk extension is longer than the limit"
    case .malformedChunkEnd: "a chunk does not end where its size says"
    case .malformedTrailer: "a trailer field is malformed"
    case .trailerTooLarge: "the trailer section is larger than the limit"
    }
  }
}
