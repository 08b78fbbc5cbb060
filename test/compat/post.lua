-- What wrk sends, and what it prints at the end: one line of JSON, times in microseconds.
-- Arguments: the body, in which {number} stands for the number of the request, and the number of requests after which it
-- sends no more and prints FULL; then wrk has to be ended with SIGINT, because it waits for its duration otherwise.

local KEYS = 1000
local count = 0

wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

-- One thread sends all requests, so its keys and numbers come in turn.
function init(args)
  wrk.body = args[1]
  local most = tonumber(args[2])
  local before, after = string.match(wrk.path, '^(.*){key}(.*)$')
  local start, rest = string.match(wrk.body, '^(.*){number}(.*)$')
  if before == nil and start == nil and most == nil then return end
  request = function()
    count = count + 1
    if count == most then
      wrk.thread:stop()
      io.write("FULL\n")
      io.flush()
    end
    local path = before and before .. count % KEYS .. after
    return wrk.format(nil, path, nil, start and start .. count .. rest)
  end
end

function done(summary, latency, requests)
  local failures = summary.errors
  io.write(string.format(
    '\nRESULT {"calls":%d,"tookMicros":%d,"p50Micros":%d,"p99Micros":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failures.status,
    failures.connect + failures.read + failures.write + failures.timeout))
end
