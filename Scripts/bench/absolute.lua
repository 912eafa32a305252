-- wrk connects to the proxy; the request line carries the absolute URL given as the first script argument.
function init(args)
  wrk.path = args[1]
  wrk.headers["Host"] = args[1]:match("^http://([^/]+)")
  wanted = wrk.format("GET")
end

function request() return wanted end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %.0f %.0f %d %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.timeout, e.status))
end
