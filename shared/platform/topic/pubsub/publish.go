package pubsub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Limits of one request, and the number of requests at once. A larger message is sent alone: Pub/Sub accepts 10 MB.
const (
	maxMessages = 1000
	maxBytes    = 1 << 20
	maxRequests = 64
)

// Publish sends messages, those of one topic and key in order, and waits for all results. A message that can never be published
// gets its error at once, and holds back the messages of its key after it.
func (b *Bus) Publish(ctx context.Context, messages []topic.Message) []error {
	l, err := b.line()
	if err != nil {
		return slices.Repeat([]error{err}, len(messages))
	}
	errs := make([]error, len(messages))
	groups, stopped := map[[2]string][]int{}, map[[2]string]bool{} // by topic and key: indexes of messages, and whether they are held back
	for i, m := range messages {
		key := [2]string{m.Topic, m.OrderingKey}
		if stopped[key] {
			errs[i] = topic.ErrHeldBack
		} else if errs[i] = topic.Check(m); errs[i] != nil {
			stopped[key] = m.OrderingKey != ""
		} else {
			groups[key] = append(groups[key], i)
		}
	}
	var all sync.WaitGroup
	for _, group := range groups {
		all.Go(func() { l.send(ctx, messages, group, errs) })
	}
	all.Wait()
	return errs
}

// send sends the messages at these indexes, which have one topic and key, request by request. After a failure the rest of a key is
// held back.
func (l *line) send(ctx context.Context, messages []topic.Message, indexes []int, errs []error) {
	for len(indexes) > 0 {
		request := l.request(messages, indexes)
		err := l.publish(ctx, request)
		for status.Code(err) == codes.InvalidArgument && len(request.Messages) > 1 { // one of them made the whole request fail
			request.Messages = request.Messages[:len(request.Messages)/2]
			err = l.publish(ctx, request)
		}
		sent := len(request.Messages)
		for _, i := range indexes[:sent] {
			errs[i] = refusal(err)
		}
		if err != nil && request.Messages[0].OrderingKey != "" {
			for _, i := range indexes[1:] {
				errs[i] = topic.ErrHeldBack
			}
			return
		}
		indexes = indexes[sent:]
	}
}

// request returns a request with as many of the messages as its limits allow.
func (l *line) request(messages []topic.Message, indexes []int) *pb.PublishRequest {
	r, bytes := &pb.PublishRequest{Topic: l.topic(messages[indexes[0]].Topic)}, 0
	for _, i := range indexes[:min(len(indexes), maxMessages)] {
		m := &pb.PubsubMessage{Data: messages[i].Data, Attributes: messages[i].Attributes, OrderingKey: messages[i].OrderingKey}
		if bytes += proto.Size(m); bytes > maxBytes && len(r.Messages) > 0 {
			break
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}

// publish sends one request. It waits while too many are in flight.
func (l *line) publish(ctx context.Context, request *pb.PublishRequest) error {
	if err := l.flow.Acquire(ctx, 1); err != nil {
		return err
	}
	defer l.flow.Release(1)
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
