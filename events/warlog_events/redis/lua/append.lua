--[[ append: add events to a match, if it is still what the caller believes it to be

All checks come before the first write, because Redis keeps the writes made before a script's error.

KEYS    all with the hash tag of the match's bucket
  1     stream   the match's events; entry ids are <version>-0
  2     hash     the match: version, frame and moving (the start and the rest of its summary), index (its lobby entry),
                 invited, timed (the seats with a deadline), frozen, void, archived
  3     hash     the match's secrets
  4     set      the bucket's matches
  5     stream   the bucket's activity
  6     zset     the bucket's deadlines, members "<match> <seat>"
  7     zset     who follows the match, "<channel> <number>" each (follow.lua)
  8, 9  hashes   optional, as is the next: records of commands with an idempotency key (idempotency.py)
  10    string   this command's record if 0.1 stored one, "<digest> <accepted>"

ARGV
  1     an array, as MessagePack: for its sender, one more argument costs more than the whole array:
          match id
          expected version: 0, and there must be no such match
          expected chain of the newest event: "" with version 0
          now, in ms; false for Redis's own clock, against which `at` is then held
          how far, in ms, the events' `at` may be from now
          acting seat, whose deadline must not have passed; "" for none
          before this time, in ms, the events may not happen; 0: at any time
          how many activity entries to keep, about
          the writing process, as it stands among the followers: it gets no message
          for how many seconds, at least, a repetition of the command is known
          deadlines: [seat, ms] of all there are from now on; false: unchanged
          secrets: [name, value] of new ones
          the events, each [version, type, seat, by, at, draws, chain, hash]
          of a new match, the hashes of its invitations as JSON; else ""
          the lobby entry, by which the lobby finds the match, as JSON (lobby.py); "": unchanged
          status
          seats that are to act, with spaces between
          digest of the command's body, as KEYS[10] has it; "" without that
          notices for personal feeds, as JSON (match/notices.py); "": none
  2     of the summary, what seldom changes: JSON without its closing brace; "": unchanged
  3     of the summary, the rest: JSON without its opening brace
  4     the field of the command's record               (4 and 5 are "" without KEYS[8])
  5     its value: 8 bytes that are a digest of the command's body, and what is kept for repetitions of the command
  ..    the events' bodies

REPLY   an array, of which the first says what happened
  done                        all is written
  repeated  accepted          the same command was done before; nothing is written, as in all that follow
  reused                      the idempotency key belongs to a command with another body
  frozen    reason            the match was found corrupt
  void                        whoever was to make this match has given it up (void.lua)
  archived                    the match is in the archive: restore it first (restore.lua)
  conflict  version           the newest event is another one than expected
  forked    version           it has the expected version and another chain
  gap       version  length   the stream does not hold as many events as its newest version says
  damaged   version           the newest event cannot be read
  late      deadline          the acting seat's time is over
  skew      now               the events' `at` is too far from now, or before the newest event's; or they may not happen yet

ERRORS  those of Redis, raised by the first write or before it: OOM, READONLY, MISCONF, NOREPLICAS
]]

local match, expected, expected_chain, now, tolerance, acting, not_before, activity_max, writer, ttl, deadlines, secrets,
  events, invited, lobby_entry, status, to_act, digest, notices = unpack(cmsgpack.unpack(ARGV[1]))
local summary_start, summary_rest, field, value = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local BODIES = 5  -- words before them
local DIGEST_BYTES = 8
local VERSION, TYPE, SEAT, BY, AT, DRAWS, CHAIN, HASH = 1, 2, 3, 4, 5, 6, 7, 8

local function whole(number)
  return string.format('%d', number)
end

-- A repetition is answered whatever has become of the match since.
if KEYS[8] then
  local done = redis.call('HGET', KEYS[8], field) or redis.call('HGET', KEYS[9], field)
  if done then
    if string.sub(done, 1, DIGEST_BYTES) ~= string.sub(value, 1, DIGEST_BYTES) then
      return {'reused'}
    end
    return {'repeated', string.sub(done, DIGEST_BYTES + 1)}
  end
  done = redis.call('GET', KEYS[10])
  if done then
    local space = string.find(done, ' ', 1, true)
    if string.sub(done, 1, space - 1) ~= digest then
      return {'reused'}
    end
    return {'repeated', string.sub(done, space + 1)}
  end
end

local state = redis.call('HMGET', KEYS[2], 'frozen', 'timed', 'void', 'archived')
local frozen, seats_with_deadline, void, archived = state[1], state[2], state[3], state[4]
if frozen then
  return {'frozen', frozen}
end
if void then
  return {'void'}
end
if archived then
  return {'archived'}
end

-- The tail of the stream itself is asked, not a note of it: after a fail-over or a DEL the two could differ.
local version, chain, tail_at = 0, '', 0
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if tail then
  version = tonumber(string.match(tail[1], '^(%d+)%-0$') or 0)
  local fields = tail[2]
  for i = 1, #fields, 2 do
    if fields[i] == 'chain' then
      chain = fields[i + 1]
    elseif fields[i] == 'at' then
      tail_at = tonumber(fields[i + 1])
    end
  end
end
local length = redis.call('XLEN', KEYS[1])
if length ~= version or (version == 0 and redis.call('EXISTS', KEYS[2]) == 1) then
  return {'gap', version, length}
end
if version ~= expected then
  return {'conflict', version}
end
if chain ~= expected_chain then
  return {'forked', version}
end

if not tail_at then
  return {'damaged', version}
end

local by_redis = not now
if by_redis then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if acting ~= '' then
  local deadline = redis.call('ZSCORE', KEYS[6], match .. ' ' .. acting)
  if deadline and tonumber(deadline) < now then
    return {'late', deadline}
  end
end

-- A deadline has passed when it has by this clock; the caller's may be ahead.
if now < not_before then
  return {'skew', now}
end

local first, last = events[1], events[#events]

-- `at` is the caller's, because the chain covers it and the caller makes the chain; so it is checked here, not made here.
-- It may equal the newest event's but never be earlier, so that a reader may subtract: where clocks differ a little, or
-- Redis's was set back, an event happens in the millisecond of the one before it. From Redis's clock it may differ by
-- `tolerance`; the fixed clock of a test is not compared with that.
if first[AT] < tail_at or (by_redis and math.abs(last[AT] - math.max(now, tail_at)) > tolerance) then
  return {'skew', now}
end

-- Nothing below may fail.

for i, e in ipairs(events) do
  -- Always the same fields, absent ones empty: a stream stores the names of equal field lists once.
  redis.call('XADD', KEYS[1], whole(e[VERSION]) .. '-0', 'type', e[TYPE], 'seat', e[SEAT], 'by', e[BY],
    'at', whole(e[AT]), 'body', ARGV[BODIES + i], 'draws', e[DRAWS], 'chain', e[CHAIN], 'hash', e[HASH])
end
local reached = whole(last[VERSION])
if expected == 0 then
  redis.call('SADD', KEYS[4], match)
  if invited ~= '' then
    redis.call('HSET', KEYS[2], 'invited', invited)
  end
end
for _, secret in ipairs(secrets) do
  redis.call('HSET', KEYS[3], secret[1], secret[2])
end

-- The hash names the seats that are in the zset, so that those whose deadline ends can be taken out of it.
local seats, times = seats_with_deadline or '', {}
if deadlines then
  local scores, names, still = {}, {}, {}
  for _, deadline in ipairs(deadlines) do
    local seat, at = deadline[1], deadline[2]
    scores[#scores + 1] = whole(at)
    scores[#scores + 1] = match .. ' ' .. seat
    names[#names + 1] = seat
    times[#times + 1] = seat .. ' ' .. whole(at)
    still[seat] = true
  end
  for seat in string.gmatch(seats, '%S+') do
    if not still[seat] then
      redis.call('ZREM', KEYS[6], match .. ' ' .. seat)
    end
  end
  if #scores > 0 then
    redis.call('ZADD', KEYS[6], unpack(scores))  -- seats are few
  end
  seats = table.concat(names, ' ')
end
redis.call('HSET', KEYS[2], 'version', reached, 'moving', summary_rest, 'timed', seats)
if lobby_entry ~= '' then
  redis.call('HSET', KEYS[2], 'index', lobby_entry)
end
if summary_start ~= '' then
  redis.call('HSET', KEYS[2], 'frame', summary_start)
  redis.call('HDEL', KEYS[2], 'summary')  -- 0.1 kept both parts in one
end

-- Numbered without gaps, so that the projector notices when it was away for longer than the stream reaches back.
local newest = redis.call('XREVRANGE', KEYS[5], '+', '-', 'COUNT', 1)[1]
local number = newest and tonumber(string.match(newest[1], '^%d+')) + 1 or 1
redis.call('XADD', KEYS[5], 'MAXLEN', '~', activity_max, whole(number) .. '-0',
  'match', match, 'version', reached, 'index', lobby_entry, 'type', last[TYPE], 'status', status, 'to_act', to_act,
  'deadlines', table.concat(times, ' '), 'notices', notices)

if KEYS[8] then
  -- The younger hash takes the record if it lives for long enough; else the other one, which is gone by now, begins.
  local younger, other = KEYS[8], KEYS[9]
  local left, others = redis.call('PTTL', younger), redis.call('PTTL', other)
  if others > left then
    younger, other, left = other, younger, others
  end
  if left >= ttl * 1000 then
    redis.call('HSET', younger, field, value)
  else
    redis.call('HSET', other, field, value)
    redis.call('EXPIRE', other, 2 * ttl)
  end
end
for _, follower in ipairs(redis.call('ZRANGE', KEYS[7], 0, -1)) do
  if follower ~= writer then
    redis.call('PUBLISH', string.match(follower, '^%S+'), match .. ' ' .. reached)
  end
end
return {'done'}
