--[[ notify: notices enter the personal feeds of those who follow theirs, together with how far buckets have been read

A personal feed is a stream with ids <began>-<number>: when it was begun, in ms, and 0, 1, 2 … without gaps. Its entry 0
is no notice (personal_feed.lua). A player without a stream follows nothing, and nothing is kept for him.

KEYS
  1     hash     bucket → number of the last activity entry that has been read; the other keys have its slot
ARGV
  1     the prefix of the streams, to which a player's id is added
  2     how many entries of a feed are kept, about
  3     the channel on which the serving processes are told
  4     how many buckets follow, each as: bucket, the number before, the number after
  ..    then the notices, each as: player, type, at (ms), body (JSON)

REPLY   how many notices were for players who follow; -1 if another process has read on: nothing is written then
]]

local prefix, entries_max, channel, buckets = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local read = {}
for i = 5, 4 + 3 * buckets, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '0') ~= ARGV[i + 1] then
    return -1
  end
  read[#read + 1] = ARGV[i]
  read[#read + 1] = ARGV[i + 2]
end

local told = {}
for i = 5 + 3 * buckets, #ARGV, 4 do
  local player, type, at, body = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local stream = prefix .. player
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if newest then
    local began, number = string.match(newest[1], '^(%d+)%-(%d+)$')
    number = tonumber(number) + 1
    local id = began .. '-' .. string.format('%.0f', number)
    redis.call('XADD', stream, 'MAXLEN', '~', entries_max, id, 'type', type, 'at', at, 'body', body)
    told[#told + 1] = {player, tonumber(began), number, type, tonumber(at), body}
  end
end
if buckets > 0 then
  redis.call('HSET', KEYS[1], unpack(read))
end
if told[1] then
  redis.call('PUBLISH', channel, cmsgpack.pack(told))
end
return #told
