--[[ fold: a step of what is made of the settled matches, whole or not at all

KEYS
  1  hash, the state (keys.standing); the keys of all commands have its slot
ARGV
  1  what "folded" is before the step
  2  what it becomes
  3  the commands of the step, in order (MessagePack: a list of lists of words)

REPLY   1 done; 0 if "folded" is something else: another process has gone on, and nothing is changed
]]

if (redis.call('HGET', KEYS[1], 'folded') or '') ~= ARGV[1] then
  return 0
end
for _, command in ipairs(cmsgpack.unpack(ARGV[3])) do
  redis.call(unpack(command))
end
redis.call('HSET', KEYS[1], 'folded', ARGV[2])
return 1
