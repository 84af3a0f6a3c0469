package evidence

import (
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Methods of the protocol that the oracles use.
const (
	GetInfo           = "DriverGetInfo"
	GenerateBucketID  = "DriverGenerateBucketId"
	CreateBucket      = "DriverCreateBucket"
	GetBucket         = "DriverGetBucket"
	DeleteBucket      = "DriverDeleteBucket"
	GenerateAccountID = "DriverGenerateBucketAccessId"
	GrantAccess       = "DriverGrantBucketAccess"
	RevokeAccess      = "DriverRevokeBucketAccess"
)

// Call is a call of a method of a driver, with its response.
type Call struct {
	Seq          uint64
	Began, Ended time.Time
	Component    string
	Incarnation  int
	Method       string
	// Name is the name in a request for an ID, and ID the ID of the bucket or account, from the
	// request or the response.
	Name, ID   string
	Buckets    []string
	Parameters map[string]string
	// OK means that the call has succeeded.
	OK      bool
	Request Message
	// IsV1alpha1 means that the driver returns an ID only after the creation: requests have names
	// instead.
	IsV1alpha1 bool
}

// IsCall reports whether an event is a call as sent by a sidecar. The driver's end of the call is
// another event.
func IsCall(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && vocabulary.IsSidecar(e.Component)
}

// Message has the fields of requests and responses.
type Message struct {
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
func callOf(in *observed.Input, e journal.Event) Call {
	var request, response Message
	// A message that cannot be parsed is empty: its ID is then unknown.
	_ = json.Unmarshal(e.Request, &request)
	_ = json.Unmarshal(e.Response, &response)
	c := Call{
		Seq: e.Seq, Began: e.Time, Ended: e.Time.Add(e.Duration), Component: e.Component, Incarnation: e.Incarnation,
		Method: e.Operation.Name, OK: !e.Failed(),
		Name: request.Name + request.AccountName, Parameters: request.Parameters, Request: request,
	}
	switch c.Method {
	case CreateBucket, GetBucket, DeleteBucket:
		c.ID = request.BucketID
	case GrantAccess, RevokeAccess:
		c.ID = request.AccountID
	case GetInfo:
		c.ID = response.Name
	case GenerateBucketID:
		c.ID = response.BucketID
	case GenerateAccountID:
		c.ID = response.AccountID
	}
	for _, b := range request.Buckets {
		c.Buckets = append(c.Buckets, b.BucketID)
	}
	if in.IsV1alpha1() {
		return c.asV1alpha1(e, response)
	}
	return c
}

// asV1alpha1 reads the fields that differ in v1alpha1. A driver that does not find the object to
// delete has deleted it.
func (c Call) asV1alpha1(e journal.Event, response Message) Call {
	c.IsV1alpha1 = true
	switch c.Method {
	case CreateBucket:
		c.ID = response.BucketID
	case GrantAccess:
		c.ID, c.Buckets = response.AccountID, []string{c.Request.BucketID}
	case RevokeAccess:
		c.Buckets = []string{c.Request.BucketID}
	}
	if c.Is(DeleteBucket, RevokeAccess) && e.Outcome == codes.NotFound.String() {
		c.OK = true
	}
	return c
}

// Protocols returns the names of the protocols in the request.
func (c Call) Protocols() []string {
	var protocols []typed
	_ = json.Unmarshal(c.Request.Protocols, &protocols) // unreadable means none
	var names []string
	for _, p := range protocols {
		names = append(names, p.Type)
	}
	return names
}

// Is reports whether the call is of one of the methods.
func (c Call) Is(methods ...string) bool { return slices.Contains(methods, c.Method) }

// AsksForBucket reports whether a request has the name of a bucket instead of its ID.
func (c Call) AsksForBucket() bool {
	return c.Method == GenerateBucketID || c.IsV1alpha1 && c.Method == CreateBucket
}

// AsksForAccount reports whether a request has the name of an account instead of its ID.
func (c Call) AsksForAccount() bool {
	return c.Method == GenerateAccountID || c.IsV1alpha1 && c.Method == GrantAccess
}

// IsFor reports whether a call has the name of the account of an access.
func (c Call) IsFor(access *Object) bool {
	return c.AsksForAccount() && c.Name == v1alpha2.AccountNameForAccess(access.Metadata.UID)
}
