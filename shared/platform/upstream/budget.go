package upstream

import "sync"

// A budget keeps retries to a tenth of the calls, so that a service in trouble is not made to answer everything twice.
// It counts in tenths: a call earns one, a retry costs ten.
type budget struct {
	mu   sync.Mutex
	have int
}

const (
	price  = 10
	saving = 10 * price // what a quiet time can save up
)

// newBudget lets the very first call retry, once.
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
