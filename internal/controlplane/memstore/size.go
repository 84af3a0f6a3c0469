package memstore

import (
	"errors"
	"math"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Limits of etcd, which has no others by default: its client sends no message above the first one, and its server
// accepts no request above the second.
const (
	maxMessageBytes = 2 << 20
	maxRequestBytes = 3 << 19
	// smallBytes is a size of an object that needs no look at its request.
	smallBytes = 1 << 20
)

var errTooLarge = errors.New("etcdserver: request is too large")

// checkSize returns the error that a kube-apiserver has from etcd for an object that is too large. The key has the
// expected record, or none.
func checkSize(key string, data []byte, expected *record, ttl uint64) error {
	if len(data) < smallBytes {
		return nil
	}
	put := &etcdserverpb.PutRequest{Key: []byte(key), Value: data}
	if ttl > 0 {
		put.Lease = math.MaxInt64
	}
	compare := &etcdserverpb.Compare{
		Key: []byte(key), Target: etcdserverpb.Compare_MOD, Result: etcdserverpb.Compare_EQUAL,
		TargetUnion: &etcdserverpb.Compare_ModRevision{},
	}
	request := &etcdserverpb.TxnRequest{
		Compare: []*etcdserverpb.Compare{compare},
		Success: []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestPut{RequestPut: put}}},
	}
	if expected != nil { // after a conflict, an update reads the object
		compare.TargetUnion = &etcdserverpb.Compare_ModRevision{ModRevision: expected.revision}
		get := &etcdserverpb.RangeRequest{Key: []byte(key)}
		request.Failure = []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestRange{RequestRange: get}}}
	}
	if size := proto.Size(request); size > maxMessageBytes {
		return status.Errorf(codes.ResourceExhausted, "trying to send message larger than max (%d vs. %d)", size, maxMessageBytes)
	}
	logged := &etcdserverpb.InternalRaftRequest{Header: &etcdserverpb.RequestHeader{ID: math.MaxUint64}, Txn: request}
	if proto.Size(logged) > maxRequestBytes {
		return errTooLarge
	}
	return nil
}
