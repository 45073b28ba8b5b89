--[[ admit: may somebody know that there is this match?

For a match that is not there a stand-in is searched that is about as long, and the replies are of one length: so the
time does not tell it from a private match that is not for him.

KEYS    with the hash tag of the match's bucket
  1     hash     the match: of it, the index entry and the invitations; of one that was written before there were
                 these, the summary
  2     stream   the match's events: then the first of them
ARGV
  1     the player's id as JSON; "" for a stranger
  2     seat and hash of its invitation as JSON has them, if the player brings one; "" for none
REPLY   1 or 0
]]

local function has(text, part)
  return part ~= '' and string.find(text, part, 1, true) ~= nil
end

local NONE = '{"game":"-","status":"-","mode":"-","public":false,"open":false,"players":["-","-"],"created_at":0}'

local state = redis.call('HMGET', KEYS[1], 'index', 'invited')
local index, invited, public = state[1], state[2] or NONE, '"public":true'
if not index then
  index = redis.call('HGET', KEYS[1], 'summary')
  if index then
    public = '"visibility":"public"'
    local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
    invited = first and table.concat(first[2]) or NONE
  else
    index = NONE
  end
end
local known, member, guest = has(index, public), has(index, ARGV[1]), has(invited, ARGV[2])
return (known or member or guest) and 1 or 0
