--[[ hold: what a player has set aside for a seat of a match becomes this much; 0 gives all of it back

All keys lie in one slot, made from the prefix (keys.ledger). Holding what is held already changes nothing.

KEYS
  1  stream, the journal
ARGV
  1  the key prefix
  2  match
  3  seat; may be empty
  4  player
  5  amount
  6  version of the match on which this rests; kept with the hold
  7  only if there is a hold that rests on exactly this version; "" always
  8  now, in ms; "" for Redis's own clock

REPLY   an array, of which the first says what happened
  done    change   by so much more is held now (or, negative, less)
  short   gold     the player has only so much; nothing is changed, as in all that follow
  other            the hold is gone, or rests on another version than asked for
  closed           the match is settled: nothing is held for it any more

A hold is a field "<seat> <player>" of the match's hash: "<amount> <version>". Of an account, `gold` is what the player
may dispose of, and `held` the sum of his holds.
]]

local prefix, match, seat, player = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local amount, version, only_if, now = tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8]
local account, holds, field = prefix .. 'account:' .. player, prefix .. 'held:' .. match, seat .. ' ' .. player

if amount > 0 and redis.call('HEXISTS', prefix .. 'settled', match) == 1 then
  return {'closed'}
end
local hold = redis.call('HGET', holds, field)
local before = hold and tonumber(string.match(hold, '^%d+')) or 0
if only_if ~= '' and (not hold or string.match(hold, '%d+$') ~= only_if) then
  return {'other'}
end
local gold = tonumber(redis.call('HGET', account, 'gold') or 0)
local change = amount - before
if change > gold then
  return {'short', string.format('%.0f', gold)}
end

-- Nothing below may fail.

if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
if change ~= 0 then
  redis.call('HINCRBY', account, 'gold', string.format('%.0f', -change))
  redis.call('HINCRBY', account, 'held', string.format('%.0f', change))
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  local number = last and tonumber(string.match(last[1], '^%d+')) + 1 or 1
  redis.call('XADD', KEYS[1], string.format('%.0f-0', number), 'kind', change > 0 and 'hold' or 'release', 'at', now,
    'match', match, 'postings', cjson.encode({{player, -change}, {player .. ' held', change}}))
end
if amount > 0 then
  redis.call('HSET', holds, field, string.format('%.0f ', amount) .. version)
  redis.call('ZADD', prefix .. 'open', 'NX', now, match)
elseif hold then
  redis.call('HDEL', holds, field)
  if redis.call('EXISTS', holds) == 0 then
    redis.call('ZREM', prefix .. 'open', match)
  end
end
return {'done', string.format('%.0f', change)}
