--[[ void: a match that was to be made is never made

Who gives up making a match must know that nobody else is still about to: from now on its first append is refused.

KEYS    both with the hash tag of the match's bucket
  1     stream   the match's events
  2     hash     the match
ARGV
  1     for how many seconds this is remembered
REPLY   1 done; 0 there is such a match
]]

if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('HEXISTS', KEYS[2], 'version') == 1 then
  return 0
end
redis.call('HSET', KEYS[2], 'void', 1)
redis.call('EXPIRE', KEYS[2], ARGV[1])
return 1
