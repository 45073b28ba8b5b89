--[[ keep: a field of a hash that holds so many at most

KEYS
  1  the hash
ARGV
  1  field
  2  value
  3  how many fields it may have; 0 any number
  4  a field that does not count; may be empty

REPLY   -1 done, else how many there are: nothing is changed then. What is there already may be changed at any time
]]

local count = redis.call('HLEN', KEYS[1])
if ARGV[4] ~= '' then
  count = count - redis.call('HEXISTS', KEYS[1], ARGV[4])
end
local most = tonumber(ARGV[3])
if most > 0 and count >= most and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return count
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return -1
