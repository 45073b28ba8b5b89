-- lease.lua: takes a lease, or keeps it, or gives it back.
--
-- KEYS
--   1  the lease: a string, the holder
-- ARGV
--   1  who asks
--   2  for how many ms from now; 0 gives it back
-- Reply
--   1 when it is (or was) the asker's; 0 when another holds it

local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then
    return 0
end
if ARGV[2] == "0" then
    redis.call("DEL", KEYS[1])
else
    redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
end
return 1
