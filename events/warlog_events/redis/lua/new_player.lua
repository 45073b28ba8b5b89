--[[ new_player: an account with its first token, whole or not at all

KEYS    both of one player
  1  hash: name, created_at
  2  hash: his tokens
ARGV
  1  name
  2  created at, in ms
  3  id of the token
  4  what is kept of the token

REPLY   name, created at, and whether the token is among his (1, 0): of the account that there is now. One that there
        was before is left as it is
]]

if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'name', ARGV[1], 'created_at', ARGV[2])
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
end
local name, created = unpack(redis.call('HMGET', KEYS[1], 'name', 'created_at'))
return {name, created, redis.call('HEXISTS', KEYS[2], ARGV[3])}
