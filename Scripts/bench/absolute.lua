-- wrk connects to the proxy; the request line carries the absolute URL given as the first script argument; with a second one, `close`, each
-- request ends its connection.
function init(args)
  wrk.path = args[1]
  wrk.headers["Host"] = args[1]:match("^http://([^/]+)")
  if args[2] == "close" then wrk.headers["Connection"] = "close" end
  wanted = wrk.format("GET")
end

function request() return wanted end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %.0f %.0f %d %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.timeout, e.status))
end
