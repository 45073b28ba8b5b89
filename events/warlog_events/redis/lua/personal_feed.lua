--[[ personal_feed: players follow their personal feeds, which are begun, or kept for longer

KEYS
  1     zset     the players whose feeds are kept, by when that ends, in ms
  2…    streams  their feeds (notify.lua)
ARGV
  1     for how many ms feeds are kept from now on
  2     now, in ms; "" for Redis's own clock
  3…    the players, in the order of the streams
REPLY   for each of them: when its feed began (ms), number of its newest entry
]]

local keep = tonumber(ARGV[1])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local reply = {}
for i = 2, #ARGV - 1 do  -- not KEYS: the client of a cluster adds one
  local newest = redis.call('XREVRANGE', KEYS[i], '+', '-', 'COUNT', 1)[1]
  local began, number = now, 0
  if newest then
    began, number = string.match(newest[1], '^(%d+)%-(%d+)$')
  else
    redis.call('XADD', KEYS[i], string.format('%.0f-0', now), 'type', '', 'at', now, 'body', '')
  end
  redis.call('PEXPIRE', KEYS[i], keep)
  redis.call('ZADD', KEYS[1], now + keep, ARGV[i + 1])
  reply[#reply + 1] = tonumber(began)
  reply[#reply + 1] = tonumber(number)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return reply
