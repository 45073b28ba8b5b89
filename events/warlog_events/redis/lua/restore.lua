--[[ restore: a match comes back from the archive, to the byte as it was

KEYS    all with the hash tag of the match's bucket
  1     stream   the match's events
  2     hash     the match
  3     hash     its secrets
ARGV
  1     the tombstone that led to the file
  2     number of secrets, then that many pairs (name, value)
  ..    the events, each as 9 values: version, type, seat, by, at, body, draws, chain, hash
REPLY   1 done; 0 it is back already, or has another tombstone by now
]]

if redis.call('HGET', KEYS[2], 'archived') ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local secrets = tonumber(ARGV[2])
for i = 2 + 2 * secrets + 1, #ARGV, 9 do
  redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 'type', ARGV[i + 1], 'seat', ARGV[i + 2], 'by', ARGV[i + 3],
    'at', ARGV[i + 4], 'body', ARGV[i + 5], 'draws', ARGV[i + 6], 'chain', ARGV[i + 7], 'hash', ARGV[i + 8])
end
for i = 3, 2 + 2 * secrets, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
redis.call('HDEL', KEYS[2], 'archived')
return 1
