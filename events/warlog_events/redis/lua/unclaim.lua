--[[ unclaim: a request that claimed an idempotency key (claim.lua) has made nothing, and will not

The claim is deleted with its last user. Requests that made something, or died, stay its users: so it is kept.

KEYS
  1  hash: seed, digest, users, answer
ARGV
  1  the seed that was claimed
  2  1: delete it, whoever else uses it; 0

REPLY   1 deleted, 0 not
]]

if redis.call('HGET', KEYS[1], 'seed') ~= ARGV[1] then
  return 0
end
if redis.call('HINCRBY', KEYS[1], 'users', -1) <= 0 or ARGV[2] == '1' then
  return redis.call('DEL', KEYS[1])
end
return 0
