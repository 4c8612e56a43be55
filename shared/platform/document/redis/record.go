package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/redis/go-redis/v9"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
)

// ordered writes a number so that texts compare as their numbers do.
func ordered(n int64) string { return fmt.Sprintf("%016x", uint64(n)^sign) }

// sign flips the sign bit: negative numbers come first.
const sign = 1 << 63

// zero is ordered(0).
const zero = "8000000000000000"

func number(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	return int64(n ^ sign), err
}

func instant(t time.Time) string { return ordered(t.UnixMicro()) }

// margin is how much longer than its record a key lives: so far apart may the clocks of those who read it be.
const margin = time.Minute

// left is the time to live in milliseconds. It is counted from the caller's clock, which may have been moved.
func left(now, until time.Time) int64 {
	return (max(until.Sub(now), 0) + margin).Milliseconds()
}

var errForeign = errors.New("redis: a key that holds no document")

// read takes a record out of its hash, nil where there is none.
func read(hash []any) (*document.Record, error) {
	if hash[3] == nil {
		return nil, nil
	}
	var text [4]string
	for i, v := range hash {
		text[i], _ = v.(string) // nothing is "", which is no number
	}
	n, err := strconv.ParseInt(text[1], 10, 64)
	version, errVersion := number(text[2])
	end, errEnd := number(text[3])
	if errors.Join(err, errVersion, errEnd) != nil {
		return nil, errForeign
	}
	return &document.Record{Value: []byte(text[0]), Number: n, Version: version, ExpiresAt: time.UnixMicro(end).UTC()}, nil
}

// passing are the answers that say nothing about the request: the same one may succeed in a moment.
var passing = []string{"LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "OOM", "NOREPLICAS", "ERR max number of clients"}

// outage turns a failure of Redis into the fault that callers may retry, and leaves every other error as it is. Whoever
// ran out of time or hung up is told that instead: Redis may be well.
func outage(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if answer, ok := errors.AsType[sdk.Error](err); ok {
		for _, word := range passing {
			if strings.HasPrefix(answer.Error(), word) {
				return fault.ErrUnavailable.Because(err)
			}
		}
		return err
	}
	return fault.ErrUnavailable.Because(err)
}
