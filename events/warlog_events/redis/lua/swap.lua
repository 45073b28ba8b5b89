--[[ swap: a field of a hash gets another value, if it has the one that the caller has read

KEYS
  1  the hash
ARGV
  1  field
  2  the value that it had
  3  its new value

REPLY   1 done, 0 it has another value by now
]]

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
