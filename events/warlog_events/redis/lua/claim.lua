--[[ claim: an idempotency key is about to be used for something new (claims.py)

KEYS
  1  hash: seed, digest, users, answer
ARGV
  1  the seed, if this is the first request with the key
  2  digest of the request
  3  for how many seconds, from now on, the claim is known

REPLY   an array
  reused                         the key belongs to another request; nothing is changed
  new    seed
  known  seed  answer            an equal request came before; "": no answer is kept
]]

local seed, digest, answer = unpack(redis.call('HMGET', KEYS[1], 'seed', 'digest', 'answer'))
if seed and digest ~= ARGV[2] then
  return {'reused'}
end
if not seed then
  redis.call('HSET', KEYS[1], 'seed', ARGV[1], 'digest', ARGV[2])
end
redis.call('HINCRBY', KEYS[1], 'users', 1)
redis.call('EXPIRE', KEYS[1], ARGV[3])
if seed then
  return {'known', seed, answer or ''}
end
return {'new', ARGV[1]}
