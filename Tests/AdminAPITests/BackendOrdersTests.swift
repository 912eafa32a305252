import AdminAPI
import Effects
import Testing

@Suite struct BackendOrdersTests {
  @Test(arguments: [
    (OrderRefusal.notConfigured, 409, "ahoyNotConfigured"), (.noBackend, 409, "noBackendConfigured"),
    (.cohorlyNotConfigured, 409, "cohorlyNotConfigured"), (.stopping, 409, "draining"),
    (.backend(reason: "status 503"), 502, "backendFailed"), (.store(reason: "full"), 500, "storeFailed"),
    (.unacceptable(reason: "too large"), 400, "invalidParameter"),
  ])
  func refusalsAreToldWithTheirReasons(refusal: OrderRefusal, status: Int, code: String) throws {
    let sample = SampleContext(refusal: refusal)
    for (method, path, body) in BackendEndpointsTests.operations + CohorlyEndpointsTests.operations {
      let answer = sample.router().answer(.local(method, path, body: body))
      #expect(answer.status == status)
      #expect(answer.errorCode == code)
    }
    if case .backend(let reason) = refusal {
      let message = try sample.router().answer(.local("POST", "/visit")).json()["error"]?["message"]?.string
      #expect(message?.contains(reason) == true)
    }
  }
}
