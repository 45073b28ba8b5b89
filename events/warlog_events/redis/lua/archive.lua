--[[ archive: a match leaves Redis; what stays is its summary, and a tombstone that says which file has the rest

Nothing happens unless the match is, to the last event, what was archived: whoever appended meanwhile keeps it here.

KEYS    all with the hash tag of the match's bucket
  1     stream   the match's events
  2     hash     the match
  3     hash     its secrets
  4     string   its snapshot
ARGV
  1     version of its newest event
  2     chain of its newest event
  3     the tombstone, "<version> <SHA-256 of the file>"
REPLY   1 done; 0 the match is another by now, frozen, has a deadline, or is archived
]]

local state = redis.call('HMGET', KEYS[2], 'frozen', 'timed', 'archived')
if state[1] or (state[2] or '') ~= '' or state[3] then
  return 0
end
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not tail or tail[1] ~= ARGV[1] .. '-0' or redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1]) then
  return 0
end
local chain
for i = 1, #tail[2], 2 do
  if tail[2][i] == 'chain' then
    chain = tail[2][i + 1]
  end
end
if chain ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[2], 'archived', ARGV[3])
redis.call('UNLINK', KEYS[1], KEYS[3], KEYS[4])
return 1
