--[[ reserve: one more of what a player may have so many of at a time, whole or not at all

KEYS
  1…  sorted sets in which it will stand, all of this player
ARGV
  1   the member
  2   its score: the ms in which it was reserved
  3…  for each key: how many it may hold

REPLY   an array: done, or full with the number of the key and how many it holds; nothing is changed then

What stands there already is no more than it was.
]]

for i, key in ipairs(KEYS) do
  local most = tonumber(ARGV[i + 2])
  -- A cluster's client adds a key of its own at the end.
  if most and redis.call('ZCARD', key) >= most and not redis.call('ZSCORE', key, ARGV[1]) then
    return {'full', i, redis.call('ZCARD', key)}
  end
end
for i, key in ipairs(KEYS) do
  if ARGV[i + 2] then
    redis.call('ZADD', key, 'NX', ARGV[2], ARGV[1])
  end
end
return {'done'}
