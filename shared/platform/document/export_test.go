package document

import "context"

// Seal lets tests put any content into a record.
var Seal = seal

// Get returns the counters in the order of their keys.
func (c Counters) Get(ctx context.Context, keys ...Key) ([]int64, error) {
	store, err := StoreOf(c.env)
	if err != nil {
		return nil, err
	}
	names := make([]Name, len(keys))
	for i, k := range keys {
		names[i] = c.Name(k)
	}
	records, err := store.Get(ctx, c.env.Now(), names...)
	if err != nil {
		return nil, err
	}
	numbers := make([]int64, len(keys))
	for i, r := range records {
		numbers[i] = c.Read(r)
	}
	return numbers, nil
}
