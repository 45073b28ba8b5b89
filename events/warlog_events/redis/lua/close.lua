--[[ close: an account is closed for good: its gold goes to the house, its places in the tables are free

All keys lie in one slot, made from the prefix (keys.ledger).

KEYS
  1  stream, the journal
ARGV
  1   the key prefix
  2   player
  3   now, in ms; "" for Redis's own clock
  4…  the games

REPLY   1 done, or there is no such account; 0 something is still set aside for a match: nothing is changed then
]]

local prefix, player, now = ARGV[1], ARGV[2], ARGV[3]
local account = prefix .. 'account:' .. player
local gold, held = unpack(redis.call('HMGET', account, 'gold', 'held'))
if tonumber(held or 0) ~= 0 then
  return 0
end
gold = tonumber(gold or 0)
if gold ~= 0 then
  if now == '' then
    local time = redis.call('TIME')
    now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  end
  redis.call('HINCRBY', prefix .. 'account:house', 'gold', string.format('%.0f', gold))
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  local number = last and tonumber(string.match(last[1], '^%d+')) + 1 or 1
  redis.call('XADD', KEYS[1], string.format('%.0f-0', number), 'kind', 'left', 'at', now, 'match', '',
    'postings', cjson.encode({{player, -gold}, {'house', gold}}))
end
for i = 4, #ARGV do
  local score = redis.call('HGET', account, 'score ' .. ARGV[i])
  if score then
    redis.call('ZREM', prefix .. 'table:' .. ARGV[i],
      string.format('%013.0f', 5e12 - tonumber(score)) .. ' ' .. player)
  end
end
redis.call('DEL', account)
return 1
