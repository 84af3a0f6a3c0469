package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// ids finds the IDs that the driver has chosen for names.
//
// A name has a record from before the driver is asked until its bucket or account is gone, also if the
// driver returns the name: a driver may return another ID at a repeat, and have both. If the bridge
// crashes before the ID is stored, the record tells that the driver must be asked again.
type ids struct {
	store Store
	kind  string
}

// The kinds of objects with IDs.
const (
	bucketKind  = "bucket"
	accountKind = "account"
)

// record is the stored entry of a name.
type record struct {
	// IDs that the driver has returned for the name, the latest last. A driver that is
	// not idempotent returns several. There is none as long as no answer has come.
	IDs []string `json:"ids"`
	// Request is the call whose answer is awaited, as long as no answer has come: it is
	// repeated if something is to be removed, and has more than the call that removes.
	Request json.RawMessage `json:"request,omitempty"`
	// Existing is set for a bucket that the driver has found, under another ID than it was
	// asked for.
	Existing bool `json:"existing,omitempty"`
}

func (i *ids) key(name string) string { return i.kind + "/" + name }

// HasIDs reports whether a store has the ID of any bucket or account: calls for them need a bridge.
func HasIDs(ctx context.Context, store KeyStore) (bool, error) {
	keys, err := store.Keys(ctx)
	isID := func(key string) bool {
		return strings.HasPrefix(key, (&ids{kind: bucketKind}).key("")) || strings.HasPrefix(key, (&ids{kind: accountKind}).key(""))
	}
	return slices.ContainsFunc(keys, isID), err
}

// OwnBucketID returns the ID by which the driver behind a bridge knows a bucket, and whether the bridge has stored it or the
// ID encodes it. Otherwise the driver uses the given ID.
func OwnBucketID(ctx context.Context, store Store, id string) (own string, found bool, err error) {
	known, err := (&ids{store: store, kind: bucketKind}).all(ctx, id)
	if err != nil || len(known) == 0 {
		return id, false, err
	}
	own = known[len(known)-1]
	return own, own != id, nil
}

func (i *ids) load(ctx context.Context, name string) (r record, found bool, err error) {
	value, found, err := i.store.Load(ctx, i.key(name))
	if err == nil && found {
		err = json.Unmarshal([]byte(value), &r)
	}
	if err != nil {
		return record{}, false, i.failed("read", name, err)
	}
	return r, found, nil
}

func (i *ids) save(ctx context.Context, name string, r record) error {
	value, err := json.Marshal(r)
	if err == nil {
		err = i.store.Save(ctx, i.key(name), string(value))
	}
	if err != nil {
		return i.failed("store", name, err)
	}
	return nil
}

// forget removes the record of a name.
func (i *ids) forget(ctx context.Context, name string) error {
	if err := i.store.Delete(ctx, i.key(name)); err != nil {
		return i.failed("remove", name, err)
	}
	return nil
}

func (i *ids) failed(verb, name string, err error) error {
	return status.Errorf(codes.Unavailable, "the bridge cannot %s the driver's ID of %s %s: %v", verb, i.kind, name, err)
}

// learn makes a request that creates, which returns the ID of a name, and returns once that
// is durable. It gives ask the latest ID that is stored, if there is one. A driver that does not
// choose the ID in its answer has the name as the ID, and there is nothing to store.
func (i *ids) learn(
	ctx context.Context, name string, chooses bool, request proto.Message, ask func(known string) (id string, err error),
) error {
	known, found, err := i.load(ctx, name)
	if err != nil {
		return err
	}
	if !found && chooses {
		if err := i.announce(ctx, name, request); err != nil {
			return err
		}
		found = true
	}
	id, err := ask(known.latest())
	if err != nil {
		if found && len(known.IDs) == 0 && createsNothing(status.Code(err)) {
			return joinStatus(err, i.forget(ctx, name))
		}
		return err
	}
	if known.latest() == id || !found && id == name {
		return nil
	}
	known.IDs = append(slices.DeleteFunc(known.IDs, func(other string) bool { return other == id }), id)
	known.Request = nil
	return i.save(ctx, name, known)
}

func (r record) latest() string {
	if len(r.IDs) == 0 {
		return ""
	}
	return r.IDs[len(r.IDs)-1]
}

// announce stores that the driver is about to be asked.
func (i *ids) announce(ctx context.Context, name string, request proto.Message) error {
	text, err := protojson.Marshal(request)
	if err != nil {
		return i.failed("store", name, err)
	}
	return i.save(ctx, name, record{Request: text})
}

// lost reads the request whose answer has been lost. Records of earlier bridges have none, and
// leave the message as it is.
func (i *ids) lost(ctx context.Context, name string, request proto.Message) error {
	known, _, err := i.load(ctx, name)
	if err != nil || known.Request == nil {
		return err
	}
	if err := protojson.Unmarshal(known.Request, request); err != nil {
		return i.failed("read", name, err)
	}
	return nil
}

// find asks the driver for a bucket that may have been created without it, and stores its ID
// if that is not the one asked for.
func (i *ids) find(ctx context.Context, name string, ask func(own string) (id string, err error)) error {
	known, found, err := i.load(ctx, name)
	if err != nil {
		return err
	}
	own, _, err := existing(name)
	if err != nil {
		return err
	}
	created := found && !known.Existing
	if created && known.latest() != "" {
		own = known.latest()
	}
	id, err := ask(own)
	switch {
	case err != nil || created || known.latest() == id:
		return err
	case id != own:
		return i.save(ctx, name, record{IDs: []string{id}, Existing: true})
	case found:
		return i.forget(ctx, name)
	}
	return nil
}

// all returns the IDs of a name, the latest last. There is none if the driver was asked
// and its answer has been lost. Without a record, the name is
// the ID: the driver does not choose IDs, or COSI did not create the bucket.
func (i *ids) all(ctx context.Context, name string) ([]string, error) {
	known, found, err := i.load(ctx, name)
	if err != nil {
		return nil, err
	}
	if !found {
		id, _, err := existing(name)
		if err != nil {
			return nil, err
		}
		return []string{id}, nil
	}
	return known.IDs, nil
}

// createsNothing reports whether a driver that returns the code has created nothing.
func createsNothing(code codes.Code) bool {
	switch code {
	case codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented, codes.AlreadyExists:
		return true
	default:
		return false
	}
}

// joinStatus adds an error to the message of another, whose code stays.
func joinStatus(err, other error) error {
	if other == nil {
		return err
	}
	return status.Error(status.Code(err), fmt.Sprintf("%s; %s", status.Convert(err).Message(), status.Convert(other).Message()))
}
