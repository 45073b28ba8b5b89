-- keep_last.lua: a layout is the player's newest, unless a newer one is known.
--
-- KEYS
--   1  hash, the player's layouts of a game: name → JSON with `saved_ms`
-- ARGV
--   1  name
--   2  ms
--   3  the layout, as JSON
-- Reply
--   1 kept, 0 not

local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored and tonumber(string.match(stored, '"saved_ms":(%d+)')) > tonumber(ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
