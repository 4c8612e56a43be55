package redis

import sdk "github.com/redis/go-redis/v9"

// Every script gets the key, and the arguments now, expiry and time to live. A record is alive while its expiry is after now.
const alive = `
	local ends = redis.call('HGET', KEYS[1], 'e')
	if ends and ends <= ARGV[1] then ends = false end`

// replace writes a whole record. Number, version and value are the arguments after the first three.
const replace = `
	redis.call('DEL', KEYS[1])
	redis.call('HSET', KEYS[1], 'e', ARGV[2], 'n', ARGV[4], 'r', ARGV[5], 'v', ARGV[6])
	redis.call('PEXPIRE', KEYS[1], ARGV[3])
	return 1`

var (
	createScript = sdk.NewScript(alive + `
	if ends then return 0 end` + replace)

	putScript = sdk.NewScript(alive + `
	if ends and redis.call('HGET', KEYS[1], 'r') >= ARGV[5] then return 0 end` + replace)

	// The sum is returned as text, as Redis stores it: a number would become a float.
	addScript = sdk.NewScript(alive + `
	if not ends then
		redis.call('DEL', KEYS[1])
		redis.call('HSET', KEYS[1], 'n', '0', 'r', '` + zero + `', 'v', '')
	end
	redis.call('HINCRBY', KEYS[1], 'n', ARGV[4])
	if not ends or ends < ARGV[2] then
		redis.call('HSET', KEYS[1], 'e', ARGV[2])
		redis.call('PEXPIRE', KEYS[1], ARGV[3])
	end
	return redis.call('HGET', KEYS[1], 'n')`)
)
