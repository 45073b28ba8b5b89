--[[ due: deadlines that have passed; writes nothing

KEYS    sorted set each, the deadlines of a bucket (on a cluster one: buckets are in slots of their own)
ARGV
  1     the time in ms
  2     how many are given of a bucket, at most

REPLY   for each of them: "<match> <seat>", deadline
]]

local passed = {}
if redis.call('EXISTS', unpack(KEYS)) == 0 then  -- asked five times a second, also where nobody plays against the clock
  return passed
end
for _, deadlines in ipairs(KEYS) do
  for _, word in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '-inf', '(' .. ARGV[1], 'WITHSCORES',
    'LIMIT', 0, ARGV[2])) do
    passed[#passed + 1] = word
  end
end
return passed
