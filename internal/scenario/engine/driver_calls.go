package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// ownDriver reports whether the driver is the user's, so that only the driver sees its backend.
func (e *Engine) ownDriver() bool {
	emu := e.emulator
	return emu.Store() == nil && !e.options.NoBackend && emu.Info().DriverEndpoint != "" && emu.Info().API == objectstorage.V1alpha2
}

// componentNamed returns the name of a component of the emulator. If the user's driver replaces the
// driver of the setup, that driver's sidecar is the emulator's own.
func (r *run) componentNamed(name string) string {
	if !r.engine.ownDriver() {
		return name
	}
	prefix, driver, found := strings.Cut(name, ".")
	if found && strings.TrimSuffix(driver, emulator.ReplicaSuffix) == r.engine.emulator.Info().DriverName {
		return prefix + strings.TrimPrefix(driver, r.engine.emulator.Info().DriverName)
	}
	return name
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

// called folds the calls of the scenario to the user's driver.
func (r *run) called() calledBackend {
	backend := calledBackend{buckets: map[string]calledBucket{}, accounts: map[string]calledBucket{}}
	names := map[string]string{}
	events := r.engine.journal.Since(r.result.From - 1)
	r.mu.Lock()
	byStep := slices.Clone(r.callsByStep)
	r.mu.Unlock()
	for _, event := range events {
		for len(byStep) > 0 && byStep[0].mark < event.Seq {
			backend.fold(byStep[0].method, byStep[0].request, byStep[0].response, names)
			byStep = byStep[1:]
		}
		if event.Seam != journal.SeamRPC || !emulator.IsSidecar(event.Component) || event.Outcome != journal.OutcomeOK {
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

// callByStep is a call by the scenario itself, after the event with a number.
type callByStep struct {
	mark              uint64
	method            string
	request, response callRequest
}

// rememberCall adds a successful call of a step.
func (r *run) rememberCall(method string, request, response proto.Message) {
	call := callByStep{mark: r.engine.journal.Mark(), method: method}
	for _, message := range []struct {
		from proto.Message
		into *callRequest
	}{{request, &call.request}, {response, &call.response}} {
		body, err := protojson.Marshal(message.from)
		if err != nil || json.Unmarshal(body, message.into) != nil {
			return
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callsByStep = append(r.callsByStep, call)
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

// compareCalls compares the names of the buckets and accounts that exist according to the driver's
// calls with the expected backend. It cannot compare their properties: only the driver sees them.
func (r *run) compareCalls(ctx context.Context, b *spec.Backend) error {
	called := r.called()
	if err := r.compareCalled(ctx, "bucket", b.Buckets, called.buckets, b.Only); err != nil {
		return err
	}
	return r.compareCalled(ctx, "account", b.Accounts, called.accounts, b.Only)
}

func (r *run) compareCalled(ctx context.Context, kind string, expected spec.Named, called map[string]calledBucket, only bool) error {
	got := map[string]any{}
	for id, one := range called {
		got[id] = map[string]any{"id": id}
		if one.name != "" {
			got[one.name] = got[id]
		}
	}
	existence := make(spec.Named, len(expected))
	for i, one := range expected {
		existence[i] = one
		if one.Pattern.Word != spec.Absent {
			existence[i].Pattern = spec.Pattern{Position: one.Pattern.Position, Word: spec.Present}
		}
	}
	if err := r.compareBackend(ctx, kind, existence, got, false); err != nil || !only {
		return err
	}
	return r.onlyCalled(ctx, kind, expected, called)
}

// onlyCalled requires that the driver has no other buckets or accounts of the scenario.
func (r *run) onlyCalled(ctx context.Context, kind string, expected spec.Named, called map[string]calledBucket) error {
	var known []string
	for _, one := range expected {
		name, err := r.variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
	}
	for id, one := range called {
		if !slices.Contains(known, id) && !slices.Contains(known, one.name) && (r.isOwn(id) || r.isOwn(one.name)) {
			return &outcome.Failure{
				Message: "unexpected backend " + kind + " \"" + id + "\"", Got: render.YAML(map[string]any{"id": id, "name": one.name}),
			}
		}
	}
	return nil
}
