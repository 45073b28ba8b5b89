--[[ admit: may somebody know that there is this match?

For a match that is not there a stand-in is searched that is about as long, and the replies are of one length: so the
time does not tell it from a private match that is not for him.

KEYS    with the hash tag of the match's bucket
  1     hash     the match: of it, the index entry; of one that was written before there was that, the summary
  2     stream   the match's events
ARGV
  1     the player's id as JSON; "" for a stranger
  2     seat and hash of its invitation as the first event has them, if the player brings one; "" for none
REPLY   1 or 0
]]

local function has(text, part)
  return part ~= '' and string.find(text, part, 1, true) ~= nil
end

local NONE = '{"game":"-","status":"-","mode":"-","public":false,"open":false,"players":["-","-"],"created_at":0}'

local index, public = redis.call('HGET', KEYS[1], 'index'), '"public":true'
if not index then
  index = redis.call('HGET', KEYS[1], 'summary')
  if index then
    public = '"visibility":"public"'
  else
    index = NONE
  end
end
local known = has(index, public)
known = has(index, ARGV[1]) or known
if ARGV[2] ~= '' then
  local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1] or {'', {'body', NONE}}
  for _, field in ipairs(first[2]) do
    known = has(field, ARGV[2]) or known
  end
end
return known and 1 or 0
