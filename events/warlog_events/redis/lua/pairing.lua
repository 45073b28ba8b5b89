--[[ pairing: one step of quick pairing, whole or not at all

A queue holds those who want the same match, in the order in which they came. Whoever has waited longest is taken
first, with the next who do not avoid each other, and all of a match at once; from then on the pairing is on record until it is settled, so that whoever comes after
a crash can go on from there. Nobody is in two pairings: with one of a player's entries all his others stop waiting.

KEYS
  1  the counter of entries; every other key is made from its prefix and lies in the same slot
       order             counter: the place of an entry among all that were ever made
       entry:<id>        hash: player, name, queue, spec, seats, order, since, status; match, code, ended
       waiting:<queue>   sorted set of entries by order
       queues            set of the queues in which somebody waits
       seen              sorted set of all waiting entries, by the ms in which their player was last there
       of:<player>       set of his entries that are not over
       avoids:<player>   set of the players with whom he is not paired, while he has such entries
       avoiding          set of those who have such a set
       was:<player>      list of those that are, the newest first; kept for an hour, as they are themselves
       making            hash: match → the pairing on record (JSON)
       begun             sorted set of the same matches, by ms
ARGV
  1  the key prefix
  2  channel on which the ids of entries whose status has changed are published
  3  now, in ms; "" for Redis's own clock
  4  what to do, and then

  join   entry player name queue spec seats most rating avoided...   he waits, `most` times at once; the rating is ""
                                                                      in a queue that has none
           new entry | known entry (this very one is there) | waiting entry (he waits in this queue already) | full
  take   queue match since                            a pairing for this match; who was not seen since then has gone
           made json | short count (so many wait)
  avoid  player avoided...                            from now on, if he waits
           done
  leave  entry player status since                    stop waiting; `since` not "": only if not seen since then
           done | unknown | busy (a match is being made for him) | here
  made   match                                        settle: the match is there
  given  match code player...                         settle: it is not; these players are turned away, the others wait
           done entries queues... | gone (it is settled)                                              again as before
]]

local prefix, channel, now = ARGV[1], ARGV[2], ARGV[3]
if now == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
else
  now = tonumber(now)
end
local KEPT_S, KEPT = 3600, 32
-- Of a queue, so many are looked at as a match's first player, and as the others: who avoids many holds nobody up.
local FIRST_MAX, OTHERS_MAX = 50, 500
-- Points of rating between two players: at once, more for each second that the one has waited, and when any will do.
local NEAR, WIDENS, ANY_MS = 100, 20, 30000
local at = 4
local function take()
  at = at + 1
  return ARGV[at]
end
local function ms(number)
  return string.format('%.0f', number)
end

local changed = {}

local function stop_waiting(id)
  local entry = prefix .. 'entry:' .. id
  local queue = redis.call('HGET', entry, 'queue')
  redis.call('ZREM', prefix .. 'waiting:' .. queue, id)
  redis.call('ZREM', prefix .. 'seen', id)
  if redis.call('EXISTS', prefix .. 'waiting:' .. queue) == 0 then
    redis.call('SREM', prefix .. 'queues', queue)
  end
end

local function wait(id)
  local entry = prefix .. 'entry:' .. id
  local queue, order = unpack(redis.call('HMGET', entry, 'queue', 'order'))
  redis.call('HSET', entry, 'status', 'waiting')
  redis.call('ZADD', prefix .. 'waiting:' .. queue, order, id)
  redis.call('ZADD', prefix .. 'seen', ms(now), id)
  redis.call('SADD', prefix .. 'queues', queue)
  changed[#changed + 1] = id
  return queue
end

local function finish(id, status, match, code)
  local entry = prefix .. 'entry:' .. id
  local player = redis.call('HGET', entry, 'player')
  redis.call('HSET', entry, 'status', status, 'match', match or '', 'code', code or '', 'ended', ms(now))
  redis.call('EXPIRE', entry, KEPT_S)
  redis.call('SREM', prefix .. 'of:' .. player, id)
  if redis.call('EXISTS', prefix .. 'of:' .. player) == 0 then
    redis.call('DEL', prefix .. 'avoids:' .. player)
    redis.call('SREM', prefix .. 'avoiding', player)
  end
  local was = prefix .. 'was:' .. player
  redis.call('LPUSH', was, id)
  redis.call('LTRIM', was, 0, KEPT - 1)
  redis.call('EXPIRE', was, KEPT_S)
  changed[#changed + 1] = id
end

local function publish_changed()
  if #changed > 0 then
    redis.call('PUBLISH', channel, table.concat(changed, ' '))
  end
end

-- The rest of the arguments: the players whom this one avoids.
local function avoid(player)
  local avoids = prefix .. 'avoids:' .. player
  redis.call('DEL', avoids)
  redis.call('SREM', prefix .. 'avoiding', player)
  if at < #ARGV and redis.call('EXISTS', prefix .. 'of:' .. player) == 1 then
    redis.call('SADD', prefix .. 'avoiding', player)
    while at < #ARGV do
      redis.call('SADD', avoids, take())
    end
  end
end

local function join()
  local id, player, name, queue, spec, seats, most = take(), take(), take(), take(), take(), take(), tonumber(take())
  local rating = take()
  local entry, own = prefix .. 'entry:' .. id, prefix .. 'of:' .. player
  if redis.call('EXISTS', entry) == 1 then
    return {'known', id}
  end
  for _, other in ipairs(redis.call('SMEMBERS', own)) do
    if redis.call('HGET', prefix .. 'entry:' .. other, 'queue') == queue then
      return {'waiting', other}
    end
  end
  if redis.call('SCARD', own) >= most then
    return {'full'}
  end
  redis.call('HSET', entry, 'player', player, 'name', name, 'queue', queue, 'spec', spec, 'seats', seats,
    'order', ms(redis.call('INCR', KEYS[1])), 'since', ms(now))
  if rating ~= '' then
    redis.call('HSET', entry, 'rating', rating)
  end
  redis.call('SADD', own, id)
  avoid(player)
  wait(id)
  return {'new', id}
end

-- `seats` entries that wait in the queue, do not avoid each other and are near each other by rating; fewer if there are
-- none. Who has waited longest is the first for whom others are looked for.
local function first_together(waiting, seats)
  local oldest = redis.call('ZRANGE', waiting, 0, 0)[1]
  if not oldest then
    return {}
  end
  local rated = redis.call('HGET', prefix .. 'entry:' .. oldest, 'rating')
  if not rated and redis.call('EXISTS', prefix .. 'avoiding') == 0 then
    return redis.call('ZRANGE', waiting, 0, seats - 1)
  end
  local ids = redis.call('ZRANGE', waiting, 0, OTHERS_MAX - 1)
  local players, ratings, sinces, avoids, by_rating = {}, {}, {}, {}, {}
  for i, id in ipairs(ids) do
    local player, rating, since = unpack(redis.call('HMGET', prefix .. 'entry:' .. id, 'player', 'rating', 'since'))
    players[i], ratings[i], sinces[i], by_rating[i] = player, tonumber(rating or 0), since, i
    for _, other in ipairs(redis.call('SMEMBERS', prefix .. 'avoids:' .. players[i])) do
      avoids[players[i] .. ' ' .. other] = true
    end
  end
  table.sort(by_rating, function(i, j)
    return ratings[i] < ratings[j] or (ratings[i] == ratings[j] and i < j)
  end)
  local function fits(i, chosen)
    for _, j in ipairs(chosen) do
      if avoids[players[i] .. ' ' .. players[j]] or avoids[players[j] .. ' ' .. players[i]] then
        return false
      end
    end
    return true
  end
  -- Those nearest to him by rating, no further off than he accepts after his wait.
  local function around(first)
    local waited = now - tonumber(sinces[first])
    local most = waited >= ANY_MS and math.huge or NEAR + WIDENS * waited / 1000
    local chosen, below, above = {first}, 0, #ids + 1
    for place, i in ipairs(by_rating) do
      if i == first then
        below, above = place - 1, place + 1
      end
    end
    local function off(place)
      local i = by_rating[place]
      return i and math.abs(ratings[i] - ratings[first]) or math.huge
    end
    while #chosen < seats and (by_rating[below] or by_rating[above]) do
      local next_
      if by_rating[above] and off(above) <= off(below) then
        next_, above = above, above + 1
      else
        next_, below = below, below - 1
      end
      if off(next_) > most then
        break
      end
      if fits(by_rating[next_], chosen) then
        chosen[#chosen + 1] = by_rating[next_]
      end
    end
    table.sort(chosen)
    return chosen
  end
  local found = {}
  for first = 1, math.min(FIRST_MAX, #ids) do
    local chosen = around(first)
    if first == 1 or #chosen == seats then
      found = chosen
    end
    if #found == seats then
      break
    end
  end
  local together = {}
  for i, index in ipairs(found) do
    together[i] = ids[index]
  end
  return together
end

local function pair()
  local queue, match, since = take(), take(), tonumber(take())
  local waiting = prefix .. 'waiting:' .. queue
  local first = redis.call('ZRANGE', waiting, 0, 0)[1]
  if not first then
    return {'short', 0}
  end
  local spec, seats = unpack(redis.call('HMGET', prefix .. 'entry:' .. first, 'spec', 'seats'))
  local taken
  repeat
    local gone = false
    taken = first_together(waiting, tonumber(seats))
    for _, id in ipairs(taken) do
      if tonumber(redis.call('ZSCORE', prefix .. 'seen', id)) < since then
        stop_waiting(id)
        finish(id, 'expired')
        gone = true
      end
    end
  until not gone
  if #taken < tonumber(seats) then
    publish_changed()
    return {'short', #taken}
  end
  local entries, aside = {}, {}
  for _, id in ipairs(taken) do
    local player, name = unpack(redis.call('HMGET', prefix .. 'entry:' .. id, 'player', 'name'))
    entries[#entries + 1] = {id = id, player = player, name = name}
    stop_waiting(id)
    redis.call('HSET', prefix .. 'entry:' .. id, 'status', 'pairing')
    changed[#changed + 1] = id
    for _, other in ipairs(redis.call('SMEMBERS', prefix .. 'of:' .. player)) do
      if other ~= id then
        aside[#aside + 1] = other
        stop_waiting(other)
        redis.call('HSET', prefix .. 'entry:' .. other, 'status', 'pairing')
        changed[#changed + 1] = other
      end
    end
  end
  local made = cjson.encode({match = match, queue = queue, spec = spec, entries = entries,
    aside = table.concat(aside, ' ')})
  redis.call('HSET', prefix .. 'making', match, made)
  redis.call('ZADD', prefix .. 'begun', ms(now), match)
  publish_changed()
  return {'made', made}
end

local function leave()
  local id, player, status, since = take(), take(), take(), take()
  local owner, stands = unpack(redis.call('HMGET', prefix .. 'entry:' .. id, 'player', 'status'))
  if owner ~= player then
    return {'unknown'}
  end
  if stands == 'pairing' then
    return {'busy'}
  end
  if stands == 'waiting' then
    if since ~= '' and tonumber(redis.call('ZSCORE', prefix .. 'seen', id)) >= tonumber(since) then
      return {'here'}
    end
    stop_waiting(id)
    finish(id, status)
    publish_changed()
  end
  return {'done'}
end

local function settle(is_made)
  local match = take()
  local raw = redis.call('HGET', prefix .. 'making', match)
  if not raw then
    return {'gone'}
  end
  redis.call('HDEL', prefix .. 'making', match)
  redis.call('ZREM', prefix .. 'begun', match)
  local making = cjson.decode(raw)
  local code, away, queues = '', {}, {}
  if not is_made then
    code = take()
    while at < #ARGV do
      away[take()] = true
    end
  end
  for _, entry in ipairs(making.entries) do
    if is_made then
      finish(entry.id, 'paired', match)
    elseif away[entry.player] then
      finish(entry.id, 'refused', nil, code)
    else
      queues[#queues + 1] = wait(entry.id)
    end
  end
  for id in string.gmatch(making.aside, '%S+') do
    if is_made then
      finish(id, 'withdrawn', match)
    else
      queues[#queues + 1] = wait(id)
    end
  end
  publish_changed()
  return {'done', unpack(queues)}
end

local steps = {
  join = join,
  avoid = function()
    avoid(take())
    return {'done'}
  end,
  take = pair,
  leave = leave,
  made = function() return settle(true) end,
  given = function() return settle(false) end,
}
return steps[ARGV[4]]()
