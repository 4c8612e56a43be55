package firestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	api "cloud.google.com/go/firestore/apiv1"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// where configures the database.
type where struct {
	Project  string `env:"GOOGLE_CLOUD_PROJECT,required"`
	Database string `env:"FIRESTORE_DATABASE,default=(default)"`
	Emulator string `env:"FIRESTORE_EMULATOR_HOST"` // host:port; if it is empty, Google's endpoint
}

// A base is a database and its client.
type base struct {
	name   string // projects/…/databases/…
	client *api.Client
}

// base returns the environment's database. It does not connect before the first call.
func (s *Store) base() (*base, error) {
	return env.Once(s.env, "firestore", func() (*base, error) {
		var w where
		if err := s.env.Load(&w); err != nil {
			return nil, fmt.Errorf("firestore: %w", err)
		}
		client, err := api.NewClient(context.Background(), w.options()...) // does not dial
		if err != nil {
			return nil, fmt.Errorf("firestore: %w", err)
		}
		client.CallOptions = &api.CallOptions{} // no retries and no timeouts of the client
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

// owner are the credentials with which the emulator allows everything.
type owner struct{}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (owner) RequireTransportSecurity() bool { return false }

// path returns the resource name of a document. The hash prefix spreads keys with a common prefix, such as ULIDs of one hour,
// over Firestore's ranges, each of which has a limited write rate. It also avoids ids that Firestore reserves.
func (b *base) path(n document.Name) string {
	sum := sha256.Sum256([]byte(n.ID))
	return b.name + "/documents/hot/" + n.Collection + "/documents/" + hex.EncodeToString(sum[:2]) + "." + n.ID
}

// read returns documents by their paths, in one call. Missing documents are nil.
func (b *base) read(ctx context.Context, names []document.Name) (map[string]*pb.Document, error) {
	seen := make(map[string]*pb.Document, len(names))
	for _, n := range names {
		seen[b.path(n)] = nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also ends the stream
	stream, err := b.client.BatchGetDocuments(ctx, &pb.BatchGetDocumentsRequest{Database: b.name, Documents: slices.Collect(maps.Keys(seen))})
	if err != nil {
		return nil, outage(ctx, err)
	}
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return seen, nil
		}
		if err != nil {
			return nil, outage(ctx, err)
		}
		if d := answer.GetFound(); d != nil {
			seen[d.GetName()] = d
		}
	}
}

// alive returns a document's record, or nil if there is none or it has expired by now: Firestore deletes expired documents within a
// day.
func alive(d *pb.Document, now time.Time) *document.Record {
	f := d.GetFields()
	ends := f["expiresAt"].GetTimestampValue().AsTime()
	if d == nil || !now.Before(ends) {
		return nil
	}
	return &document.Record{Value: f["value"].GetBytesValue(), Number: f["number"].GetIntegerValue(), Version: f["version"].GetIntegerValue(), ExpiresAt: ends}
}

// write stores the record if the document has not changed since it was read as old, and reports whether it did.
func (b *base) write(ctx context.Context, n document.Name, old *pb.Document, r document.Record) (bool, error) {
	whole := func(n int64) *pb.Value { return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}} }
	unchanged := &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}
	if old != nil {
		unchanged.ConditionType = &pb.Precondition_UpdateTime{UpdateTime: old.GetUpdateTime()}
	}
	return b.commit(ctx, &pb.Write{
		Operation: &pb.Write_Update{Update: &pb.Document{Name: b.path(n), Fields: map[string]*pb.Value{
			"value":     {ValueType: &pb.Value_BytesValue{BytesValue: r.Value}},
			"number":    whole(r.Number),
			"version":   whole(r.Version),
			"expiresAt": {ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.New(r.ExpiresAt)}},
		}}},
		CurrentDocument: unchanged,
	})
}

// commit writes, and reports whether the write's precondition was met.
func (b *base) commit(ctx context.Context, w *pb.Write) (bool, error) {
	_, err := b.client.Commit(ctx, &pb.CommitRequest{Database: b.name, Writes: []*pb.Write{w}})
	switch status.Code(err) {
	case codes.OK:
		return true, nil
	case codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound, codes.Aborted:
		return false, nil
	}
	return false, outage(ctx, err)
}

// outage maps a temporary failure of Firestore to ErrUnavailable, and returns every other error unchanged. If the caller's
// context has ended, it returns that error instead, because Firestore may be available.
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
