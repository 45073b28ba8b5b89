--[[ meet: a match is about to begin; does it count, for those who meet in it?

The same two players move points and gold at most so many times a day (UTC). All keys lie in one slot, made from the
prefix (keys.ledger).

KEYS
  1  stream, the journal; not touched
ARGV
  1   the key prefix
  2   match
  3   how many matches of two players count in a day
  4   now, in ms; "" for Redis's own clock
  5…  for each two opponents: "<player> <player>"

REPLY   an array of those pairs that have had as many matches today, not counting this one. Empty: it counts, and stands
        in the set of each pair; that it stood there already changes nothing

What has been met is a set of match ids that is forgotten after the day; one whose match never began is one too many.
]]

local prefix, match, most, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
if now == '' then
  now = redis.call('TIME')[1] * 1000
end
local day = string.format('%.0f', math.floor(tonumber(now) / 86400000))
local function key(pair)
  return prefix .. 'met:' .. day .. ' ' .. pair
end

local full = {}
for i = 5, #ARGV do
  local set = key(ARGV[i])
  if redis.call('SISMEMBER', set, match) == 0 and redis.call('SCARD', set) >= most then
    full[#full + 1] = ARGV[i]
  end
end
if #full == 0 then
  for i = 5, #ARGV do
    redis.call('SADD', key(ARGV[i]), match)
    redis.call('EXPIRE', key(ARGV[i]), 2 * 86400)
  end
end
return full
