--[[ follow: from now on a process is told of every append to a match (append.lua), unless it makes it itself

KEYS    with the hash tag of the match's bucket
  1     zset     the match's followers by when each is forgotten, in ms
ARGV
  1     the follower, "<channel> <number>"; another one with its channel goes
  2     for how many ms, unless it comes again
REPLY   1
]]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- The dead go here, not with the key: as long as one process follows the match, the key stays.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local channel = string.match(ARGV[1], '^%S+ ')
for _, follower in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if follower ~= ARGV[1] and string.sub(follower, 1, #channel) == channel then
    redis.call('ZREM', KEYS[1], follower)
  end
end
return 1
