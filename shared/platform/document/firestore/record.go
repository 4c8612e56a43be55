package firestore

import (
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"melmastoon.ghasi.io/shared/platform/document"
)

// A sight is a document as of a read.
type sight struct {
	record  *document.Record // nil if there was no document
	updated *timestamppb.Timestamp
}

// absent is the sight of a missing document.
var absent sight

func look(d *pb.Document) sight {
	f := d.GetFields()
	return sight{&document.Record{
		Value:     f["value"].GetBytesValue(),
		Number:    f["number"].GetIntegerValue(),
		Version:   f["version"].GetIntegerValue(),
		ExpiresAt: f["expiresAt"].GetTimestampValue().AsTime(),
	}, d.GetUpdateTime()}
}

// alive returns the record, or nil if it has expired by now: Firestore deletes expired documents within a day.
func (s sight) alive(now time.Time) *document.Record {
	if s.record == nil || !now.Before(s.record.ExpiresAt) {
		return nil
	}
	r := *s.record
	return &r
}

// unchanged returns the precondition that the document has not changed since the read.
func (s sight) unchanged() *pb.Precondition {
	if s.record == nil {
		return &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}
	}
	return &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: s.updated}}
}

func fields(r document.Record) map[string]*pb.Value {
	whole := func(n int64) *pb.Value { return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}} }
	return map[string]*pb.Value{
		"value":     {ValueType: &pb.Value_BytesValue{BytesValue: r.Value}},
		"number":    whole(r.Number),
		"version":   whole(r.Version),
		"expiresAt": {ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.New(r.ExpiresAt)}},
	}
}
