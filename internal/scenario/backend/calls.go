package backend

import (
	"encoding/json"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Calls are the calls of a scenario to the user's driver.
type Calls struct {
	Journal *journal.Journal
	// After is the number of the last event before the scenario.
	After uint64

	mu     sync.Mutex
	bySelf []callByStep // the scenario's own calls
}

// state folds the calls.
func (c *Calls) state() calledBackend {
	backend := calledBackend{buckets: map[string]calledBucket{}, accounts: map[string]calledBucket{}}
	names := map[string]string{}
	events := c.Journal.Since(c.After)
	c.mu.Lock()
	byStep := slices.Clone(c.bySelf)
	c.mu.Unlock()
	for _, event := range events {
		for len(byStep) > 0 && byStep[0].mark < event.Seq {
			backend.fold(byStep[0].method, byStep[0].request, byStep[0].response, names)
			byStep = byStep[1:]
		}
		if event.Seam != journal.SeamRPC || !vocabulary.IsSidecar(event.Component) || event.Outcome != journal.OutcomeOK {
			continue
		}
		var request, response callRequest
		if json.Unmarshal(event.Request, &request) == nil && json.Unmarshal(event.Response, &response) == nil {
			backend.fold(event.Operation.Name, request, response, names)
		}
	}
	for _, call := range byStep {
		backend.fold(call.method, call.request, call.response, names)
	}
	return backend
}

// Remember adds a successful call of a step.
func (c *Calls) Remember(method string, request, response proto.Message) {
	call := callByStep{mark: c.Journal.Mark(), method: method}
	for _, message := range []struct {
		from proto.Message
		into *callRequest
	}{{request, &call.request}, {response, &call.response}} {
		body, err := protojson.Marshal(message.from)
		if err != nil || json.Unmarshal(body, message.into) != nil {
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bySelf = append(c.bySelf, call)
}

// calledBucket is a bucket of the scenario that a driver has created and not deleted, according to
// its calls.
type calledBucket struct {
	id, name   string
	parameters map[string]string
}

// calledBackend is the state of the backend according to the calls of a driver.
type calledBackend struct {
	buckets, accounts map[string]calledBucket // by ID
	grant             *callRequest            // the last successful one
}

// callRequest has the fields of requests to a driver that identify its resources.
type callRequest struct {
	Name        string            `json:"name"`
	AccountName string            `json:"accountName"`
	BucketID    string            `json:"bucketId"`
	AccountID   string            `json:"accountId"`
	Parameters  map[string]string `json:"parameters"`
}

// callByStep is a call by the scenario itself, after the event with a number.
type callByStep struct {
	mark              uint64
	method            string
	request, response callRequest
}

func (b *calledBackend) fold(method string, request, response callRequest, names map[string]string) {
	switch method {
	case "DriverGenerateBucketId":
		names[response.BucketID] = request.Name
	case "DriverGenerateBucketAccessId":
		names[response.AccountID] = request.AccountName
	case "DriverCreateBucket", "DriverGetBucket":
		b.buckets[request.BucketID] = calledBucket{request.BucketID, names[request.BucketID], request.Parameters}
	case "DriverDeleteBucket":
		delete(b.buckets, request.BucketID)
	case "DriverGrantBucketAccess":
		b.accounts[request.AccountID] = calledBucket{request.AccountID, names[request.AccountID], request.Parameters}
		b.grant = &request
	case "DriverRevokeBucketAccess":
		delete(b.accounts, request.AccountID)
	}
}
