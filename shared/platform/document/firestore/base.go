package firestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	api "cloud.google.com/go/firestore/apiv1"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// where says which database to use.
type where struct {
	Project  string `env:"GOOGLE_CLOUD_PROJECT,required"`
	Database string `env:"FIRESTORE_DATABASE,default=(default)"`
	Emulator string `env:"FIRESTORE_EMULATOR_HOST"` // host:port; without it Google's own
}

// A base is a database with a client on it.
type base struct {
	name   string // projects/…/databases/…
	client *api.Client
}

// base is the environment's one. Connecting is left to the first call.
func (s *Store) base() (*base, error) {
	return env.Once(s.env, "firestore", func() (*base, error) {
		var w where
		if err := s.env.Load(&w); err != nil {
			return nil, fmt.Errorf("firestore: %w", err)
		}
		client, err := api.NewClient(context.Background(), w.options()...) // dials nothing: the context bounds no later connection
		if err != nil {
			return nil, fmt.Errorf("firestore: %w", err)
		}
		client.CallOptions = &api.CallOptions{} // which would say what is repeated, and for how long
		s.env.OnClose(func(context.Context) error { return client.Close() })
		return &base{"projects/" + w.Project + "/databases/" + w.Database, client}, nil
	})
}

func (w where) options() []option.ClientOption {
	if w.Emulator == "" {
		return nil
	}
	return []option.ClientOption{
		option.WithEndpoint("passthrough:///" + w.Emulator),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
		option.WithGRPCDialOption(grpc.WithPerRPCCredentials(owner{})),
	}
}

// owner is whom the emulator lets do everything.
type owner struct{}

// GetRequestMetadata is credentials.PerRPCCredentials's.
func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

// RequireTransportSecurity is credentials.PerRPCCredentials's.
func (owner) RequireTransportSecurity() bool { return false }

// path is where a document lies. What stands before its key spreads keys that begin alike, as ULIDs of one hour do, over
// Firestore's ranges, which each take so many writes; and no id is one of those that Firestore reserves.
func (b *base) path(n document.Name) string {
	sum := sha256.Sum256([]byte(n.ID))
	return b.name + "/documents/hot/" + n.Collection + "/documents/" + hex.EncodeToString(sum[:2]) + "." + n.ID
}

// read reads documents in one call, by their paths. What is not there is absent.
func (b *base) read(ctx context.Context, names []document.Name) (map[string]sight, error) {
	seen := make(map[string]sight, len(names))
	request := &pb.BatchGetDocumentsRequest{Database: b.name}
	for _, n := range names {
		path := b.path(n)
		if _, again := seen[path]; !again {
			request.Documents = append(request.Documents, path)
		}
		seen[path] = absent
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also ends the stream
	stream, err := b.client.BatchGetDocuments(ctx, request)
	if err != nil {
		return nil, outage(ctx, err)
	}
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return seen, nil
		}
		if err != nil {
			return nil, outage(ctx, err)
		}
		if d := answer.GetFound(); d != nil {
			seen[d.GetName()] = look(d)
		}
	}
}

// write stores the record if the document still is as it was seen, and reports whether it did.
func (b *base) write(ctx context.Context, n document.Name, seen sight, r document.Record) (bool, error) {
	return b.commit(ctx, b.update(n, seen, r))
}

func (b *base) update(n document.Name, seen sight, r document.Record) *pb.Write {
	return &pb.Write{
		Operation:       &pb.Write_Update{Update: &pb.Document{Name: b.path(n), Fields: fields(r)}},
		CurrentDocument: seen.unchanged(),
	}
}

// writeMany stores the chosen records, each by itself, whose documents still are as they were seen. It returns which are not.
func (b *base) writeMany(ctx context.Context, seen map[string]sight, records []document.Named, chosen []int) (changed []int, err error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	request := &pb.BatchWriteRequest{Database: b.name}
	for _, i := range chosen {
		r := records[i]
		request.Writes = append(request.Writes, b.update(r.Name, seen[b.path(r.Name)], r.Record))
	}
	answer, err := b.client.BatchWrite(ctx, request)
	if err != nil {
		return nil, outage(ctx, err)
	}
	for n, s := range answer.GetStatus() {
		if met, err := verdict(ctx, status.ErrorProto(s)); err != nil {
			return nil, err
		} else if !met {
			changed = append(changed, chosen[n])
		}
	}
	return changed, nil
}

// commit writes, and reports whether the write's condition was met.
func (b *base) commit(ctx context.Context, w *pb.Write) (bool, error) {
	_, err := b.client.Commit(ctx, &pb.CommitRequest{Database: b.name, Writes: []*pb.Write{w}})
	return verdict(ctx, err)
}

// verdict reads whether a write's condition was met.
func verdict(ctx context.Context, err error) (bool, error) {
	switch status.Code(err) {
	case codes.OK:
		return true, nil
	case codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound, codes.Aborted:
		return false, nil
	}
	return false, outage(ctx, err)
}

// outage turns a failure of Firestore into the fault that callers may retry, and leaves every other error as it is.
// Whoever ran out of time or hung up is told that instead: Firestore may be well.
func outage(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded, codes.Internal, codes.Aborted, codes.Canceled:
		return fault.ErrUnavailable.Because(err)
	}
	return err
}

// The pause before another round: drawn between nothing and a bound that doubles, so that those who collide part.
const (
	minPause = 2 * time.Millisecond
	maxPause = 100 * time.Millisecond
)

func pause(ctx context.Context, round int) error {
	return env.Wait(ctx, rand.N(min(minPause<<min(round, 10), maxPause)))
}
