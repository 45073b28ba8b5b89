--[[ settle: a match is over: all that is held for it is given back, and what it moved is moved, once and for all

All keys lie in one slot, made from the prefix (keys.ledger), so that nobody ever sees half of a settlement.

KEYS
  1  stream, the journal
ARGV
  1   the key prefix
  2   match
  3   game
  4   now, in ms; "" for Redis's own clock
  5   what the house receives
  6…  for each player: player, gold received less gold paid, points, outcome ("won", "drawn", "lost", "" for none that
      counts), "fled" or "", and "ranked" if his score is a place in the game's table, else ""

REPLY   1 done, 0 it had been done before; nothing is changed then

The table of a game is a sorted set, all scores 0, of "<13 digits: 5e12 less the score> <player>": the greatest score
first, and pages that do not shift while somebody reads them.
]]

local prefix, match, game, now, house = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local holds, table_of_game = prefix .. 'held:' .. match, prefix .. 'table:' .. game

if redis.call('HEXISTS', prefix .. 'settled', match) == 1 then
  return 0
end
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end

local postings = {}
local function post(name, field, amount, posted_as)
  if amount ~= 0 then
    redis.call('HINCRBY', prefix .. 'account:' .. name, field, string.format('%.0f', amount))
    postings[#postings + 1] = {posted_as, amount}
  end
end

local held = redis.call('HGETALL', holds)
for i = 1, #held, 2 do
  local player, amount = string.match(held[i], '[^ ]+$'), tonumber(string.match(held[i + 1], '^%d+'))
  post(player, 'held', -amount, player .. ' held')
  post(player, 'gold', amount, player)
end
redis.call('DEL', holds)
redis.call('ZREM', prefix .. 'open', match)

local function place(score, player)
  return string.format('%013.0f ', 5e12 - score) .. player
end

for i = 6, #ARGV, 6 do
  local player, outcome = ARGV[i], ARGV[i + 3]
  local account = prefix .. 'account:' .. player
  post(player, 'gold', tonumber(ARGV[i + 1]), player)
  if outcome ~= '' then
    redis.call('HINCRBY', account, outcome .. ' ' .. game, 1)
  end
  if ARGV[i + 4] ~= '' then
    redis.call('HINCRBY', account, 'fled ' .. game, 1)
  end
  if ARGV[i + 5] ~= '' then
    local before = tonumber(redis.call('HGET', account, 'score ' .. game) or 0)
    local after = before + tonumber(ARGV[i + 2])
    redis.call('HSET', account, 'score ' .. game, string.format('%.0f', after))
    redis.call('ZREM', table_of_game, place(before, player))
    redis.call('ZADD', table_of_game, 0, place(after, player))
  end
end
post('house', 'gold', house, 'house')

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local number = string.format('%.0f', last and tonumber(string.match(last[1], '^%d+')) + 1 or 1)
redis.call('HSET', prefix .. 'settled', match, number)
redis.call('XADD', KEYS[1], number .. '-0', 'kind', 'settle', 'at', now, 'match', match,
  'postings', #postings > 0 and cjson.encode(postings) or '[]')
return 1
