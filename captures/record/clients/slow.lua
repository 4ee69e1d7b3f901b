-- wrk's script: four kinds of request in turn, ten milliseconds between two on a connection, totals into a file.
local turn = 0
local kinds = {
   { "GET", "/text/1000.txt" }, { "GET", "/json/item-3.json", { ["Accept-Encoding"] = "gzip" } },
   { "GET", "/img/1.png" }, { "GET", "/no/such/page" },
}
function delay() return 10 end
function request()
   turn = turn + 1
   local kind = kinds[turn % #kinds + 1]
   return wrk.format(kind[1], kind[2], kind[3])
end
function done(summary, latency, requests)
   local out = io.open(os.getenv("WRK_JSON"), "w")
   out:write(string.format('{"requests":%d,"bytes":%d,"errors_status":%d,"errors_read":%d,"errors_timeout":%d}\n',
      summary.requests, summary.bytes, summary.errors.status, summary.errors.read, summary.errors.timeout))
   out:close()
end
