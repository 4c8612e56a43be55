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

// ordered formats a number so that texts compare like their numbers.
func ordered(n int64) string { return fmt.Sprintf("%016x", uint64(n)^sign) }

// sign flips the sign bit, so that negative numbers sort first.
const sign = 1 << 63

// zero is ordered(0).
const zero = "8000000000000000"

func number(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	return int64(n ^ sign), err
}

func instant(t time.Time) string { return ordered(t.UnixMicro()) }

// margin is the time that a key outlives its record: an allowance for clock skew between readers.
const margin = time.Minute

// left returns the time to live in milliseconds. It is relative to the caller's clock, which may be moved.
func left(now, until time.Time) int64 {
	return (max(until.Sub(now), 0) + margin).Milliseconds()
}

var errForeign = errors.New("redis: the key does not hold a document")

// read decodes a record from its hash, or returns nil if the hash is empty.
func read(hash []any) (*document.Record, error) {
	if hash[3] == nil {
		return nil, nil
	}
	var text [4]string
	for i, v := range hash {
		text[i], _ = v.(string) // nil becomes "", which is not a valid number
	}
	n, err := strconv.ParseInt(text[1], 10, 64)
	version, errVersion := number(text[2])
	end, errEnd := number(text[3])
	if errors.Join(err, errVersion, errEnd) != nil {
		return nil, errForeign
	}
	return &document.Record{Value: []byte(text[0]), Number: n, Version: version, ExpiresAt: time.UnixMicro(end).UTC()}, nil
}

// passing are the prefixes of errors that are temporary: the same request may succeed in a moment.
var passing = []string{"LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "OOM", "NOREPLICAS", "ERR max number of clients"}

// outage maps a temporary failure of Redis to ErrUnavailable, and returns every other error unchanged. If the caller's context
// has ended, it returns that error instead, because Redis may be available.
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
