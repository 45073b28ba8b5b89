--[[ scenario: one more scenario, if its owner may have another

KEYS
  1   sorted set of its owner's scenarios
  2   hash of the scenario
  3…  the other lists in which it stands
ARGV
  1  its member in all these lists
  2  the scenario
  3  how many the owner may have; 0 any number
  4  how many lists there are from KEYS[3] on

REPLY   -1 done, else how many there are: nothing is changed then
]]

local most = tonumber(ARGV[3])
local count = redis.call('ZCARD', KEYS[1])
if most > 0 and count >= most then
  return count
end
redis.call('HSET', KEYS[2], 'member', ARGV[1], 'json', ARGV[2])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
for i = 3, 2 + tonumber(ARGV[4]) do
  redis.call('ZADD', KEYS[i], 0, ARGV[1])
end
return -1
