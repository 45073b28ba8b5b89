-- project.lua: matches of one bucket enter the lobby's projection, with how far the bucket's activity has been read.
--
-- KEYS
--   1  the checkpoint hash; every other key is made from its prefix and lies in the same slot
-- ARGV
--   1  the key prefix
--   2  bucket
--   3  the checkpoint from which the reader began; "" to set it whatever it is (a rebuild)
--   4  the new checkpoint
--   5… for each match: id, version, index (JSON, match/lobby_entry.py)
-- Reply
--   1 when done; 0 when another projector has moved the checkpoint: nothing is written then
--
-- Writing the same again changes nothing, and an older version never replaces a newer one.

local prefix, bucket, before, after = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if before ~= "" and (redis.call("HGET", KEYS[1], bucket) or "0") ~= before then
    return 0
end

-- The sorted sets in which a match stands.
local function sets(index)
    local found = {}
    if index.public then
        found = { "listed:*:*", "listed:" .. index.game .. ":*", "listed:*:" .. index.status,
                  "listed:" .. index.game .. ":" .. index.status }
    end
    for _, player in ipairs(index.players) do
        found[#found + 1] = "listed:of:" .. player
        found[#found + 1] = "listed:of:" .. player .. ":" .. index.status
    end
    return found
end

local function member(index, match)
    return string.format("%013.0f %s", index.created_at, match)
end

for i = 5, #ARGV, 3 do
    local match, version, raw = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
    local stored = redis.call("HGET", prefix .. "index", match)
    local old_version, old_raw
    if stored then
        old_version, old_raw = string.match(stored, "^(%d+) (.*)$")
        old_version = tonumber(old_version)
    end
    if not stored or version >= old_version then
        -- A rebuild writes what seems to be there, too: another rebuild may be deleting it set by set.
        if raw ~= old_raw or before == "" then
            if old_raw then
                local old = cjson.decode(old_raw)
                for _, set in ipairs(sets(old)) do
                    redis.call("ZREM", prefix .. set, member(old, match))
                end
                redis.call("ZREM", prefix .. "lobbies", match)
            end
            local index = cjson.decode(raw)
            for _, set in ipairs(sets(index)) do
                redis.call("ZADD", prefix .. set, 0, member(index, match))
            end
            if index.status == "lobby" then
                redis.call("ZADD", prefix .. "lobbies", index.idle_since or index.created_at, match)
            end
        end
        redis.call("HSET", prefix .. "index", match, ARGV[i + 1] .. " " .. raw)
    end
end

redis.call("HSET", KEYS[1], bucket, after)
return 1
