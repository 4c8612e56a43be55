package emulated

import (
	"context"
	"errors"
	"fmt"
	"path"

	api "cloud.google.com/go/pubsub/v2/apiv1"
	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"melmastoon.ghasi.io/shared/platform/env"
)

// An adminClient creates and deletes topics and subscriptions on the emulator.
type adminClient struct {
	project       string
	topics        *api.TopicAdminClient
	subscriptions *api.SubscriptionAdminClient
}

func openAdminClient(e env.Env) (*adminClient, error) {
	var w struct {
		Project  string `env:"GOOGLE_CLOUD_PROJECT,required"`
		Emulator string `env:"PUBSUB_EMULATOR_HOST,required"`
	}
	if err := e.Load(&w); err != nil {
		return nil, fmt.Errorf("emulated: %w", err)
	}
	conn, err := grpc.NewClient("passthrough:///"+w.Emulator, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("emulated: %w", err)
	}
	topics, errTopics := api.NewTopicAdminClient(context.Background(), option.WithGRPCConn(conn))
	subscriptions, err := api.NewSubscriptionAdminClient(context.Background(), option.WithGRPCConn(conn))
	if err := errors.Join(errTopics, err); err != nil {
		return nil, errors.Join(fmt.Errorf("emulated: %w", err), conn.Close())
	}
	return &adminClient{project: w.Project, topics: topics, subscriptions: subscriptions}, nil
}

// close closes the connection, which both clients share.
func (o *adminClient) close() error { return o.topics.Close() }

func (o *adminClient) topic(name string) string { return "projects/" + o.project + "/topics/" + name }

func (o *adminClient) subscription(name string) string {
	return "projects/" + o.project + "/subscriptions/" + name
}

// create creates a subscription, or changes the push configuration of an existing one.
func (o *adminClient) create(ctx context.Context, s *pb.Subscription) error {
	_, err := o.subscriptions.CreateSubscription(ctx, s)
	if status.Code(err) != codes.AlreadyExists || s.PushConfig == nil {
		return unless(codes.AlreadyExists, err)
	}
	return o.subscriptions.ModifyPushConfig(ctx, &pb.ModifyPushConfigRequest{Subscription: s.Name, PushConfig: s.PushConfig})
}

// unless returns err, or nil if err has the code for a change that was already made.
func unless(already codes.Code, err error) error {
	if status.Code(err) == already {
		return nil
	}
	return err
}

func (o *adminClient) dropUnless(ctx context.Context, stays func(name string) bool) error {
	request := &pb.ListSubscriptionsRequest{Project: "projects/" + o.project}
	for s, err := range o.subscriptions.ListSubscriptions(ctx, request).All() {
		if err != nil {
			return fmt.Errorf("emulated: list: %w", err)
		}
		if stays(path.Base(s.Name)) {
			continue
		}
		err := o.subscriptions.DeleteSubscription(ctx, &pb.DeleteSubscriptionRequest{Subscription: s.Name})
		if err := unless(codes.NotFound, err); err != nil {
			return fmt.Errorf("emulated: drop %s: %w", s.Name, err)
		}
	}
	return nil
}
