-- What wrk sends, and what it prints at the end: one line of JSON, times in microseconds.

local KEYS = 1000
local count = 0

wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

function init(args)
  wrk.body = args[1]
  local before, after = string.match(wrk.path, '^(.*){key}(.*)$')
  if before == nil then return end
  -- One thread sends all requests, so its keys come in turn.
  request = function()
    count = count + 1
    return wrk.format(nil, before .. count % KEYS .. after)
  end
end

function done(summary, latency, requests)
  local failures = summary.errors
  io.write(string.format(
    '\nRESULT {"calls":%d,"tookMicros":%d,"p50Micros":%d,"p99Micros":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failures.status,
    failures.connect + failures.read + failures.write + failures.timeout))
end
