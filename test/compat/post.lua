-- What wrk sends, and what it tells at the end: one line of JSON, times in microseconds.

wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

function init(args)
  wrk.body = args[1]
end

function done(summary, latency, requests)
  local failures = summary.errors
  io.write(string.format(
    '\nRESULT {"calls":%d,"tookMicros":%d,"p50Micros":%d,"p99Micros":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failures.status,
    failures.connect + failures.read + failures.write + failures.timeout))
end
