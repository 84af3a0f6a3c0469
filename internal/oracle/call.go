package oracle

import (
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Methods of the protocol that the oracles use.
const (
	getInfo           = "DriverGetInfo"
	generateBucketID  = "DriverGenerateBucketId"
	createBucket      = "DriverCreateBucket"
	getBucket         = "DriverGetBucket"
	deleteBucket      = "DriverDeleteBucket"
	generateAccountID = "DriverGenerateBucketAccessId"
	grantAccess       = "DriverGrantBucketAccess"
	revokeAccess      = "DriverRevokeBucketAccess"
)

type call struct {
	seq          uint64
	began, ended time.Time
	component    string
	incarnation  int
	method       string
	// name is the name in a request for an ID; id is the ID of the bucket or account, from the
	// request or the response.
	name, id   string
	buckets    []string
	parameters map[string]string
	ok         bool
	request    message
	// isV1alpha1 means that the driver returns an ID only after the creation: requests have names
	// instead.
	isV1alpha1 bool
}

// made reports whether an event is a call as sent by a sidecar. The driver's end of the call is
// another event.
func made(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && vocabulary.IsSidecar(e.Component)
}

// message has the fields of requests and responses.
type message struct {
	Name        string `json:"name"`
	AccountName string `json:"accountName"`
	BucketID    string `json:"bucketId"`
	AccountID   string `json:"accountId"`
	// Parameters are the parameters of a class.
	Parameters         map[string]string `json:"parameters"`
	Protocol           typed             `json:"protocol"`
	AuthenticationType typed             `json:"authenticationType"`
	ServiceAccountName string            `json:"serviceAccountName"`
	Buckets            []struct {
		BucketID       string `json:"bucketId"`
		ObjectData     mode   `json:"objectDataAccessMode"`
		ObjectMetadata mode   `json:"objectMetadataAccessMode"`
		BucketMetadata mode   `json:"bucketMetadataAccessMode"`
	} `json:"buckets"`
	// Protocols are a list in requests, and an object in responses.
	Protocols json.RawMessage `json:"protocols"`
}

// typed and mode are the protocol's wrapped enumerations. In v1alpha1 they are bare.
type (
	typed struct {
		Type string `json:"type"`
	}
	mode struct {
		Mode string `json:"mode"`
	}
)

// UnmarshalJSON reads both forms.
func (t *typed) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &t.Type) == nil {
		return nil
	}
	type plain typed
	return json.Unmarshal(data, (*plain)(t))
}

// callOf reads the call that an event is.
func callOf(in *Input, e journal.Event) call {
	var request, response message
	// A message that cannot be parsed is empty: its ID is then unknown.
	_ = json.Unmarshal(e.Request, &request)
	_ = json.Unmarshal(e.Response, &response)
	c := call{
		seq: e.Seq, began: e.Time, ended: e.Time.Add(e.Duration), component: e.Component, incarnation: e.Incarnation,
		method: e.Operation.Name, ok: !e.Failed(),
		name: request.Name + request.AccountName, parameters: request.Parameters, request: request,
	}
	switch c.method {
	case createBucket, getBucket, deleteBucket:
		c.id = request.BucketID
	case grantAccess, revokeAccess:
		c.id = request.AccountID
	case getInfo:
		c.id = response.Name
	case generateBucketID:
		c.id = response.BucketID
	case generateAccountID:
		c.id = response.AccountID
	}
	for _, b := range request.Buckets {
		c.buckets = append(c.buckets, b.BucketID)
	}
	if in.IsV1alpha1() {
		return c.asV1alpha1(e, response)
	}
	return c
}

// asV1alpha1 reads the fields that differ in v1alpha1. A driver that does not find the object to
// delete has deleted it.
func (c call) asV1alpha1(e journal.Event, response message) call {
	c.isV1alpha1 = true
	switch c.method {
	case createBucket:
		c.id = response.BucketID
	case grantAccess:
		c.id, c.buckets = response.AccountID, []string{c.request.BucketID}
	case revokeAccess:
		c.buckets = []string{c.request.BucketID}
	}
	if c.is(deleteBucket, revokeAccess) && e.Outcome == codes.NotFound.String() {
		c.ok = true
	}
	return c
}

func (c call) is(methods ...string) bool { return slices.Contains(methods, c.method) }
