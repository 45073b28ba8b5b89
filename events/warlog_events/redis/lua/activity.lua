--[[ activity: what is new in buckets: of each match its newest append alone; writes nothing

KEYS    stream each, the activity of a bucket (on a cluster one: buckets are in slots of their own)
ARGV
  1     how many entries of a bucket are looked at, at most
  2…    for each key: the number of the last entry that is known, 0 for none

REPLY   for each key, or for the first of them alone if those had much, since everybody waits for a script: 0, there is
        nothing new; or
  1     1 if entries after the known one are gone, and then nothing is given of the others
  2     number of the last entry that was looked at
  3     number of the newest entry there is, 0 for none
  4…    for each match that is in what was looked at: match, version, and the newest index that any of its entries
        has, '' if none does: then it has not changed
]]

local MUCH = 1000  -- entries: about two milliseconds

local looked_at = 0

local function number_of(entry)
  return entry and tonumber(string.match(entry[1], '^%d+')) or 0
end

local function news(stream, known)
  local newest = number_of(redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1])
  if newest == known then
    return 0
  end
  local first = known + 1
  local entries = redis.call('XRANGE', stream, string.format('%.0f-0', first), '+', 'COUNT', ARGV[1])
  looked_at = looked_at + #entries
  if number_of(entries[1]) ~= first then
    return {1, newest, newest}
  end
  local found, index_of = {0, number_of(entries[#entries]), newest}, {}
  for i = #entries, 1, -1 do
    local fields = entries[i][2]  -- first match, version and index, each behind its name (append.lua)
    local match, index = fields[2], fields[6]
    local at = index_of[match]
    if not at then
      found[#found + 1] = match
      found[#found + 1] = fields[4]
      found[#found + 1] = index
      index_of[match] = #found
    elseif found[at] == '' then
      found[at] = index
    end
  end
  return found
end

local reply = {}
for i, stream in ipairs(KEYS) do
  reply[i] = news(stream, tonumber(ARGV[i + 1]))
  if looked_at >= MUCH then
    break
  end
end
return reply
