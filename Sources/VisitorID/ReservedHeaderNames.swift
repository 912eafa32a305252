/// Header names that carry meaning of their own, so that an id in them would break or forge something.
///
/// The contract's file `reserved-headers.json` is the source (contract section 1.9); a test holds this table to it.
package enum ReservedHeaderNames {
  /// Whole names, by category.
  package static let exact: [(category: String, names: [String])] = [
    (
      "authentication",
      [
        "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "authentication-info",
        "proxy-authentication-info", "authentication-control", "optional-www-authenticate", "x-authorization",
        "x-authentication", "auth", "token", "x-token", "api-key", "apikey", "x-api-key", "x-apikey", "x-api-token",
        "x-api-secret", "x-access-token", "access-token", "x-auth-token", "x-auth-key", "x-session-token",
        "x-id-token", "x-jwt-assertion", "x-user-token", "x-client-secret", "dpop", "dpop-nonce", "sec-token-binding",
        "client-cert", "client-cert-chain", "x-client-cert", "x-goog-api-key", "x-goog-user-project",
        "x-functions-key", "ocp-apim-subscription-key", "remote-user", "x-remote-user", "x-forwarded-user",
        "x-forwarded-email", "x-forwarded-groups", "x-forwarded-preferred-username", "x-forwarded-access-token",
        "x-ms-client-principal", "x-ms-client-principal-id", "private-token", "job-token", "deploy-token",
        "x-gitlab-token", "x-github-token", "x-vault-token", "x-consul-token", "password",
      ]
    ),
    (
      "cookie",
      [
        "cookie", "cookie2", "set-cookie", "set-cookie2",
      ]
    ),
    (
      "signature",
      [
        "signature", "signature-input", "signature-key", "accept-signature", "x-signature", "x-request-signature",
        "x-sign", "x-hmac", "x-hub-signature", "x-hub-signature-256", "x-amz-date", "x-amz-security-token",
        "x-amz-content-sha256", "x-shopify-hmac-sha256", "stripe-signature", "x-slack-signature",
        "x-twilio-signature", "digest", "content-digest", "repr-digest", "want-digest", "want-content-digest",
        "want-repr-digest", "content-md5",
      ]
    ),
    (
      "csrf",
      [
        "x-csrf-token", "x-xsrf-token", "csrf-token", "xsrf-token", "x-csrftoken", "x-csrf", "x-xsrf",
        "anti-csrf-token", "x-anti-csrf", "requestverificationtoken", "x-requestverificationtoken",
        "__requestverificationtoken", "x-requested-with", "x-csrf-protection",
      ]
    ),
    (
      "trace",
      [
        "traceparent", "tracestate", "baggage", "trace-id", "x-trace-id", "x-trace", "x-span-id", "x-b3", "b3",
        "uber-trace-id", "jaeger-debug-id", "jaeger-baggage", "sw3", "sw6", "sw8", "sw8-x", "sw8-correlation",
        "x-cloud-trace-context", "x-amzn-trace-id", "grpc-trace-bin", "grpc-tags-bin", "x-ot-span-context",
        "sentry-trace", "newrelic", "x-newrelic-id", "x-newrelic-transaction", "x-newrelic-app-data",
        "x-newrelic-synthetics", "elastic-apm-traceparent", "x-dynatrace", "x-dynatrace-origin", "x-instana-t",
        "x-instana-s", "x-instana-l", "x-instana-synthetic", "request-id", "request-context", "correlation-context",
        "correlation-id", "x-correlation-id", "x-request-id", "x-client-trace-id", "eagleeye-traceid",
        "eagleeye-rpcid", "x-appoptics-id", "x-honeycomb-trace", "x-tt-logid", "x-client-timestamp", "x-pkg-id",
        "x-ft-sdk-internal-request",
      ]
    ),
    (
      "connection",
      [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "trailers", "transfer-encoding", "upgrade",
        "http2-settings", "close",
      ]
    ),
    (
      "framing-and-routing",
      [
        "host", "content-length", "content-type", "content-encoding", "content-transfer-encoding", "content-range",
        "content-language", "content-location", "content-disposition", "expect", "range", "if-range", "max-forwards",
        "via", "forwarded", "cdn-loop", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
        "x-forwarded-port", "x-forwarded-server", "x-forwarded-prefix", "x-real-ip", "x-client-ip",
        "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip", "fastly-client-ip", "x-original-url",
        "x-rewrite-url", "x-original-host", "x-host", "x-http-method", "x-http-method-override", "x-method-override",
        "early-data", "alt-svc", "alt-used", "refresh", "location", "date", "age", "expires", "server",
      ]
    ),
    (
      "semantics",
      [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-datetime", "accept-patch",
        "accept-post", "accept-ranges", "cache-control", "pragma", "vary", "etag", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since", "last-modified", "origin", "referer", "referrer-policy",
        "user-agent", "from", "allow", "link", "prefer", "preference-applied", "priority", "dnt", "save-data",
        "upgrade-insecure-requests", "last-event-id", "ping-from", "ping-to", "service-worker",
        "service-worker-navigation-preload", "purpose", "x-purpose", "x-moz", "strict-transport-security",
        "content-security-policy", "timing-allow-origin", "server-timing", "clear-site-data",
      ]
    ),
    (
      "this-product",
      [
        "ahoy-visit", "ahoy-visitor", "x-ahoy-visit", "x-ahoy-visitor",
      ]
    ),
  ]

  /// Beginnings of names, by category.
  package static let prefixes: [(category: String, names: [String])] = [
    (
      "authentication",
      [
        "authorization-", "x-auth-request-", "x-authenticated-", "x-ssl-client", "x-client-cert-", "ssl-client",
        "x-goog-authenticated-user", "x-goog-iam-", "x-amzn-oidc-", "cf-access-", "x-ms-token-",
        "x-ms-client-principal", "x-pomerium-",
      ]
    ),
    (
      "signature",
      [
        "x-amz-", "x-ca-", "x-oss-", "x-tc-", "svix-", "webhook-", "signature-",
      ]
    ),
    (
      "csrf",
      [
        "x-csrf-", "x-xsrf-",
      ]
    ),
    (
      "trace",
      [
        "x-b3-", "x-datadog-", "datadog-", "_dd.", "uberctx-", "ot-tracer-", "ot-baggage-", "x-ot-", "sw8-",
        "x-instana-", "x-dynatrace", "x-cat-", "pinpoint-", "eagleeye-", "x-sentry-", "sentry-", "newrelic-",
        "elastic-apm-", "x-envoy-", "grpc-trace", "x-gc-",
      ]
    ),
    (
      "connection",
      [
        "proxy-"
      ]
    ),
    (
      "browser-controlled",
      [
        "sec-", "access-control-",
      ]
    ),
    (
      "framing-and-routing",
      [
        "x-forwarded-", "x-original-", ":", "grpc-", "content-",
      ]
    ),
    (
      "semantics",
      [
        "if-", "accept-",
      ]
    ),
    (
      "this-product",
      [
        "ahoy-"
      ]
    ),
  ]

  /// Text that no name may contain.
  package static let parts: [String] = [
    "csrf", "xsrf", "cookie", "signature", "authoriz", "authenticat", "password", "passwd", "secret", "credential",
    "bearer", "jwt", "apikey", "api-key", "access-token", "refresh-token", "session-token", "traceparent",
    "tracestate", "trace-id", "traceid", "span-id", "spanid",
  ]
}
