--[[ grant: the house gives a player gold, once under each name

All keys lie in one slot, made from the prefix (keys.ledger).

KEYS
  1  stream, the journal
ARGV
  1  the key prefix
  2  player
  3  name of the grant; "start" opens the account
  4  amount
  5  now, in ms; "" for Redis's own clock

REPLY   1 given, 0 it had been given before
]]

local prefix, player, name, amount, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('HSETNX', prefix .. 'account:' .. player, 'grant ' .. name, amount) == 0 then
  return 0
end
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('HINCRBY', prefix .. 'account:' .. player, 'gold', amount)
redis.call('HINCRBY', prefix .. 'account:house', 'gold', string.format('%.0f', 0 - tonumber(amount)))
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local number = last and tonumber(string.match(last[1], '^%d+')) + 1 or 1
redis.call('XADD', KEYS[1], string.format('%.0f-0', number), 'kind', 'grant', 'at', now, 'match', '',
  'postings', cjson.encode({{'house', -tonumber(amount)}, {player, tonumber(amount)}}))
return 1
