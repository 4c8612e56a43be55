package pubsub

import (
	"context"
	"errors"
	"fmt"
	"sync"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Limits of one request. Pub/Sub accepts 10 MB; a message of that size is sent alone.
const (
	maxMessages = 1000
	maxBytes    = 4 << 20
)

// Limits of the bytes in flight. A small request counts as a sixty-fourth of the limit.
const (
	atOnce   = 64 << 20
	smallest = atOnce / 64
)

// Publish sends messages, those of one topic and key in order, and waits for all results.
func (b *Bus) Publish(ctx context.Context, messages []topic.Message) []error {
	errs := make([]error, len(messages))
	l, err := b.line()
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	var all sync.WaitGroup
	for _, r := range runs(messages, errs) {
		all.Go(func() { l.send(ctx, r) })
	}
	all.Wait()
	return errs
}

// A run holds the messages of one topic and key, or those of one topic without a key.
type run struct {
	topic    string
	ordered  bool
	messages []*pb.PubsubMessage
	errs     []*error // the results
}

// runs groups messages by topic and key. A message that can never be published gets its error at once, and holds back the
// messages after it.
func runs(messages []topic.Message, errs []error) []*run {
	var all []*run
	known, stopped := map[[2]string]*run{}, map[[2]string]bool{}
	for i, m := range messages {
		key := [2]string{m.Topic, m.OrderingKey}
		if stopped[key] {
			errs[i] = topic.ErrHeldBack
			continue
		}
		if errs[i] = topic.Check(m); errs[i] != nil {
			stopped[key] = m.OrderingKey != ""
			continue
		}
		r, ok := known[key]
		if !ok {
			r = &run{topic: m.Topic, ordered: m.OrderingKey != ""}
			known[key], all = r, append(all, r)
		}
		r.messages = append(r.messages, &pb.PubsubMessage{Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey})
		r.errs = append(r.errs, &errs[i])
	}
	return all
}

// cut removes the next request from the run.
func (r *run) cut() *run {
	bytes, n := 0, 0
	for n < min(len(r.messages), maxMessages) {
		if bytes += proto.Size(r.messages[n]); n > 0 && bytes > maxBytes {
			break
		}
		n++
	}
	return r.take(n)
}

func (r *run) take(n int) *run {
	first := &run{topic: r.topic, ordered: r.ordered, messages: r.messages[:n], errs: r.errs[:n]}
	r.messages, r.errs = r.messages[n:], r.errs[n:]
	return first
}

// send sends the run, request by request. After a failure the rest of a key is held back.
func (l *line) send(ctx context.Context, r *run) {
	for len(r.messages) > 0 {
		request := r.cut()
		err := l.publish(ctx, request)
		if status.Code(err) == codes.InvalidArgument && len(request.messages) > 1 {
			err = l.single(ctx, request)
		}
		request.answer(err)
		if err != nil && r.ordered {
			r.answer(topic.ErrHeldBack)
			return
		}
	}
}

// single sends the messages one by one, because one of them made the whole request fail. It removes the sent ones.
func (l *line) single(ctx context.Context, r *run) error {
	for len(r.messages) > 0 {
		one := r.take(1)
		err := l.publish(ctx, one)
		one.answer(err)
		if err != nil && r.ordered {
			return topic.ErrHeldBack // for the remaining messages
		}
	}
	return nil
}

// answer sets the results of the messages. With a key, the first one gets err and the rest are held back.
func (r *run) answer(err error) {
	for i, at := range r.errs {
		if err != nil && r.ordered && i > 0 {
			*at = topic.ErrHeldBack
			continue
		}
		*at = refusal(err)
	}
}

// publish sends one request. It waits while too many bytes are in flight.
func (l *line) publish(ctx context.Context, r *run) error {
	request := &pb.PublishRequest{Topic: l.topic(r.topic), Messages: r.messages}
	weight := min(max(int64(proto.Size(request)), smallest), atOnce)
	if err := l.flow.Acquire(ctx, weight); err != nil {
		return err
	}
	defer l.flow.Release(weight)
	_, err := l.topics.Publish(ctx, request)
	return outage(ctx, err)
}

// refusal returns ErrRefused if Pub/Sub will never accept the message.
func refusal(err error) error {
	switch {
	case err == nil:
		return nil
	case status.Code(err) == codes.InvalidArgument:
		return fmt.Errorf("%w: %w", topic.ErrRefused, err)
	}
	return fmt.Errorf("pubsub: publish: %w", err)
}

// outage maps a temporary failure of Pub/Sub to ErrUnavailable, and returns every other error unchanged. If the caller's context
// has ended, it returns that error instead, because Pub/Sub may be available.
func outage(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded, codes.Internal, codes.Aborted, codes.Canceled, codes.Unknown:
		return fault.ErrUnavailable.Because(err)
	}
	return err
}
