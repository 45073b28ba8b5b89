--[[ notices: the new notices for personal feeds in the activity of buckets; writes nothing

KEYS    stream each, the activity of a bucket (on a cluster one: buckets are in slots of their own)
ARGV
  1     how many entries of a bucket are looked at, at most
  2     1: also look whether a bucket has lost its newest entries; without that, a bucket with nothing new costs one
        command
  3…    for each key: the number of the last entry that is known, 0 for none

REPLY   an array for each key in which there is something new, at most for the first of them that have MUCH
  1     the key's index, from 1
  2     1 if entries after the known one are gone, or newer ones were known, and then nothing is given of the others
  3     number of the last entry that was looked at; with 2, of the newest entry there is, 0 for none
  4     1 if there may be more
  5…    for each entry with notices: match, version, notices (match/notices.py)
]]

local MUCH = 1000  -- entries: about three milliseconds

local function number_of(entry)
  return entry and tonumber(string.match(entry[1], '^%d+')) or 0
end

local limit, looked_at, reply = tonumber(ARGV[1]), 0, {}
for i, stream in ipairs(KEYS) do
  local known = tonumber(ARGV[i + 2])
  local first = known + 1
  local entries = redis.call('XRANGE', stream, string.format('%.0f-0', first), '+', 'COUNT', limit)
  local lost = entries[1] and number_of(entries[1]) ~= first
  if lost or (not entries[1] and ARGV[2] == '1') then
    local newest = number_of(redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1])
    if newest ~= known then
      reply[#reply + 1] = {i, 1, newest, 0}
    end
  elseif entries[1] then
    looked_at = looked_at + #entries
    local found = {i, 0, number_of(entries[#entries]), #entries == limit and 1 or 0}
    for _, entry in ipairs(entries) do
      local fields = entry[2]  -- match and version first, notices eighth, each behind its name (append.lua)
      if fields[16] and fields[16] ~= '' then
        found[#found + 1] = fields[2]
        found[#found + 1] = fields[4]
        found[#found + 1] = fields[16]
      end
    end
    reply[#reply + 1] = found
    if looked_at >= MUCH then
      found[4] = 1
      break
    end
  end
end
return reply
