-- REQUESTS requests, of what is below FOLDER (/api/), then the end; with CLOSE, each on a connection of its own.
local limit = tonumber(os.getenv("REQUESTS"))
local close = os.getenv("CLOSE")
local folder = os.getenv("FOLDER") or "/api/"
local sent = 0
local done = 0
local cookie = "session=" .. string.rep("0123456789abcdef", 4) .. "; theme=dark; consent=" .. string.rep("y", 40)

function request()
  sent = sent + 1
  local headers = {
    ["Host"] = "api.example.com",
    ["Cookie"] = cookie,
    ["Accept"] = "application/json",
    ["Accept-Language"] = "en-GB,en;q=0.9",
    ["User-Agent"] = "Example/7.1 (iPhone; iOS 26.0; Scale/3.00)",
  }
  local path
  if close then
    headers["Connection"] = "close"
    path = "/page/" .. (sent % 200) .. ".html"
  else
    headers["Accept-Encoding"] = "gzip, deflate"
    path = folder .. (sent % 200) .. ".json?page=" .. sent
  end
  return wrk.format("GET", path, headers)
end

function response()
  done = done + 1
  -- A stopped thread would leave wrk asleep until its time is over.
  if done >= limit then os.exit(0) end
end
