package upstream

import "sync"

// A budget limits retries to a tenth of the calls, so that retries do not double the load of a failing service. It counts in
// tenths: a call earns one, a retry costs ten.
type budget struct {
	mu   sync.Mutex
	have int
}

const (
	price  = 10
	saving = 10 * price // maximum that can be saved
)

// newBudget returns a budget that allows one retry after the first call.
func newBudget() *budget { return &budget{have: price - 1} }

func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.have = min(b.have+1, saving)
}

func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.have < price {
		return false
	}
	b.have -= price
	return true
}
