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

// checkSize returns the error that a kube-apiserver has from etcd for a write of too large an object. The request of an
// update is larger than that of a create: it also reads the object, if another writer was faster.
func checkSize(w write, data []byte) error {
	if len(data) < smallBytes {
		return nil
	}
	key := []byte(w.key)
	put := &etcdserverpb.PutRequest{Key: key, Value: data}
	if w.ttl > 0 {
		put.Lease = math.MaxInt64
	}
	compared := &etcdserverpb.Compare_ModRevision{}
	if w.expected != nil {
		compared.ModRevision = w.expected.revision
	}
	compare := &etcdserverpb.Compare{
		Key: key, Target: etcdserverpb.Compare_MOD, Result: etcdserverpb.Compare_EQUAL, TargetUnion: compared,
	}
	request := &etcdserverpb.TxnRequest{
		Compare: []*etcdserverpb.Compare{compare},
		Success: []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestPut{RequestPut: put}}},
	}
	if w.update {
		get := &etcdserverpb.RangeRequest{Key: key}
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
