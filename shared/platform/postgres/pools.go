package postgres

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/platform/env"
)

// pools holds the pools of one environment. While the server refuses connections because it has too many, the pools share
// theirs: refused callers wait in one queue, idle connections of other pools are closed at once, and each released connection
// goes to the head of the queue.
type pools struct {
	mu   sync.Mutex
	open []*pgxpool.Pool

	turn    chan struct{}                // held by the head of the queue
	waiting atomic.Pointer[pgxpool.Pool] // the pool of the head
	freed   chan struct{}                // a connection was released for the head
}

func poolsOf(e env.Env) *pools {
	p, _ := env.Once(e, "postgres", func() (*pools, error) { // never fails
		return &pools{turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)}, nil
	})
	return p
}

func (p *pools) add(pool *pgxpool.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, pool)
}

// The delay between two attempts to connect to a server with too many connections doubles from the minimum to the maximum:
// another process may release some.
const (
	firstAttempt = 10 * time.Millisecond
	lastAttempt  = 200 * time.Millisecond
	answerTime   = 50 * time.Millisecond // time that remains for the caller to answer
)

// acquire returns a connection. If the server has too many, it retries until shortly before the caller's deadline, and then
// returns the server's error.
func (p *pools) acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	conn, err := pool.Acquire(ctx)
	if !tooMany(err) {
		return conn, err
	}
	wait := dialTime
	if end, limited := ctx.Deadline(); limited {
		wait = time.Until(end) - answerTime
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, err
	}
	p.waiting.Store(pool)
	defer func() { p.waiting.Store(nil); <-p.turn }()
	for pause := firstAttempt; ; pause = min(2*pause, lastAttempt) {
		p.closeIdle(ctx, pool)
		conn, again := pool.Acquire(ctx)
		switch {
		case ctx.Err() != nil && again != nil:
			return nil, err
		case !tooMany(again):
			return conn, again
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.freed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// closeIdle closes the idle connections of all pools except one.
func (p *pools) closeIdle(ctx context.Context, but *pgxpool.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range p.open {
		if pool == but {
			continue
		}
		for _, conn := range pool.AcquireAllIdle(ctx) {
			_ = conn.Hijack().Close(ctx)
		}
	}
}

// release returns a connection to its pool, or closes it for a waiting caller of another pool.
func (p *pools) release(ctx context.Context, conn *pgxpool.Conn, pool *pgxpool.Pool) {
	switch waiting := p.waiting.Load(); waiting {
	case nil:
		conn.Release()
		return
	case pool:
		conn.Release()
	default:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_ = conn.Hijack().Close(ctx)
	}
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// tooMany reports whether the server refused a connection because it has too many.
func tooMany(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && server.Code == "53300"
}

// shouldPing reports whether an idle connection may be dead. It checks the socket without a round trip; a ping before each call
// would add one.
func shouldPing(_ context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration > idleTime {
		return true
	}
	conn := p.Conn.PgConn().Conn()
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return p.IdleDuration > time.Second
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	var received error
	err = raw.Control(func(fd uintptr) { // not Read, which would wait for a concurrent read of the driver
		_, _, received = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err != nil || !errors.Is(received, syscall.EAGAIN) // the server has closed the connection or sent data
}
