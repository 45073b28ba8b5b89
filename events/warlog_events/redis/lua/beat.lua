-- beat.lua: these players are at these matches now, and so is the service.
--
-- KEYS, all in one slot
--   1  sorted set: "<match> <player>" by when he was last there, in ms
--   2  hash: beat, the last time that any process was here; resumed, when the service came back the last time
--   3  sorted set: match by when to look whether its players are there, in ms
-- ARGV
--   1  now, in ms; "" for Redis's own clock
--   2  for how long, in ms, the service may be silent before it counts as having been away
--   3  for how long, in ms, it is remembered when a player was there
--   4  in how many ms a match is looked at that was not watched
--   5… "<match> <player>"
-- Reply
--   nothing

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local beat = tonumber(redis.call('HGET', KEYS[2], 'beat') or 0)
if now - beat > tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], 'resumed', string.format('%.0f', now))
end
redis.call('HSET', KEYS[2], 'beat', string.format('%.0f', math.max(beat, now)))
local seen, watched = {}, {}
for i = 5, #ARGV do
  seen[#seen + 1] = now
  seen[#seen + 1] = ARGV[i]
  watched[#watched + 1] = now + tonumber(ARGV[4])
  watched[#watched + 1] = string.match(ARGV[i], '^%S+')
end
if #seen > 0 then  -- the caller sends a thousand at most
  redis.call('ZADD', KEYS[1], 'GT', unpack(seen))
  redis.call('ZADD', KEYS[3], 'NX', unpack(watched))
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[3]))
