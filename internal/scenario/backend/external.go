package backend

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
)

// External records the buckets and accounts that a scenario changes without COSI.
type External struct {
	Watcher *watch.Watcher

	mu      sync.Mutex
	created []string
}

// add adds a bucket or account that a step has created.
func (e *External) add(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.created = append(e.created, name)
}

func (e *External) has(name string) bool { return slices.Contains(e.Created(), name) }

// Created returns the buckets and accounts that steps have created.
func (e *External) Created() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.created)
}

// mutating has the calls that change the backend. The value is true if a call creates something.
var mutating = map[string]bool{
	"DriverCreateBucket": true, "DriverDeleteBucket": false, "DriverGrantBucketAccess": true, "DriverRevokeBucketAccess": false,
}

// MarkCall marks the possible effects of the scenario's own call in the backend. The
// oracles do not report them as a leak or a loss.
func (e *External) MarkCall(method string, request proto.Message) {
	brings, changes := mutating[method]
	if !changes {
		return
	}
	for _, name := range []protoreflect.Name{"bucket_id", "account_id"} {
		field := request.ProtoReflect().Descriptor().Fields().ByName(name)
		if field == nil {
			continue
		}
		id := request.ProtoReflect().Get(field).String()
		e.Watcher.MarkExternal(id)
		if brings {
			e.add(id)
		}
	}
}
