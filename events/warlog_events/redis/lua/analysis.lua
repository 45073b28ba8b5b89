--[[ analysis: one step of the queue of analyses, whole or not at all

Who asks looks again and again while he waits; what nobody looks at is forgotten. A program takes the oldest one that
waits and says every second that it is still at it. One that has been silent for too long is dead, and what it had taken
waits again, before all others; once.

KEYS
  1  list of the ids that wait; every other key is made from the prefix and lies in the same slot
       asked:<id>   hash: question, who, tries; heard (ms), when the program said last that it is at it; answer
       of:<who>     string: the id of what he has asked
ARGV
  1  the key prefix
  2  what to do, and then

  ask    id who question most    wait; at most `most` do
           new | busy (he has asked something already) | full
  take                           the next one, for a program
           {id, try, question} | nil
  beat   id try                  the program is at it
  answer id try answer           it has finished
           1 | 0 (nobody waits for it any more, or another program has it)
  look   id silent              a program that has not been heard for `silent` ms is dead
           waiting | taken | gone | died (two programs have) | {answer}
  drop   id                      nobody waits for it any more
]]

local prefix, what = ARGV[1], ARGV[2]
local waiting = KEYS[1]
local FORGOTTEN_MS, TRIES = 10000, 2

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function asked(id)
  return prefix .. 'asked:' .. id
end

local function drop(id)
  local who = redis.call('HGET', asked(id), 'who')
  if who then
    redis.call('DEL', asked(id), prefix .. 'of:' .. who)
    redis.call('LREM', waiting, 1, id)
  end
end

if what == 'ask' then
  local id, who, question, most = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
  if redis.call('EXISTS', prefix .. 'of:' .. who) == 1 then
    return 'busy'
  end
  if redis.call('LLEN', waiting) >= most then
    return 'full'
  end
  redis.call('SET', prefix .. 'of:' .. who, id, 'PX', FORGOTTEN_MS)
  redis.call('HSET', asked(id), 'question', question, 'who', who, 'tries', 0)
  redis.call('PEXPIRE', asked(id), FORGOTTEN_MS)
  redis.call('LPUSH', waiting, id)
  return 'new'
end

if what == 'take' then
  local id = redis.call('RPOP', waiting)
  while id do
    local question = redis.call('HGET', asked(id), 'question')
    if question then
      local try = redis.call('HINCRBY', asked(id), 'tries', 1)
      redis.call('HSET', asked(id), 'heard', now())
      return {id, try, question}
    end
    id = redis.call('RPOP', waiting)
  end
  return nil
end

local id = ARGV[3]
local tries, heard, answer = unpack(redis.call('HMGET', asked(id), 'tries', 'heard', 'answer'))

if what == 'beat' or what == 'answer' then
  if not heard or tries ~= ARGV[4] then
    return 0
  end
  if what == 'beat' then
    redis.call('HSET', asked(id), 'heard', now())
  else
    redis.call('HSET', asked(id), 'answer', ARGV[5])
  end
  return 1
end

if what == 'drop' then
  drop(id)
  return 1
end

if not tries then
  return 'gone'
end
redis.call('PEXPIRE', asked(id), FORGOTTEN_MS)
redis.call('PEXPIRE', prefix .. 'of:' .. redis.call('HGET', asked(id), 'who'), FORGOTTEN_MS)
if answer then
  return {answer}
end
if not heard then
  return 'waiting'
end
if now() - heard <= tonumber(ARGV[4]) then
  return 'taken'
end
if tonumber(tries) >= TRIES then
  drop(id)
  return 'died'
end
redis.call('HDEL', asked(id), 'heard')
redis.call('RPUSH', waiting, id)
return 'waiting'
