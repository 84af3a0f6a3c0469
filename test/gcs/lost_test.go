package gcs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// lossStep is a step of an application. Google's client repeats each request without a response.
type lossStep struct {
	name string
	do   func(context.Context, *storage.BucketHandle) error
	// lost is the status of the error if the response was lost: the repeated request asks for a
	// change that has already happened. 0 means that the step succeeds.
	lost int
}

// object returns an object of one run of the steps.
func object(b *storage.BucketHandle, run, name string) *storage.ObjectHandle {
	return b.Object(run + "/" + name)
}

// lossSteps use every operation on objects.
func lossSteps(run string) []lossStep {
	large := bytes.Repeat([]byte("x"), 600<<10)
	upload := func(name string, content []byte, chunk int, onlyNew bool) func(context.Context, *storage.BucketHandle) error {
		return func(ctx context.Context, b *storage.BucketHandle) error {
			o := object(b, run, name)
			if onlyNew {
				o = o.If(storage.Conditions{DoesNotExist: true})
			}
			w := o.NewWriter(ctx)
			w.ChunkSize = chunk
			_, err := w.Write(content)
			return errors.Join(err, w.Close())
		}
	}
	return []lossStep{
		{"Insert", upload("small", []byte("small"), 1<<20, false), 0},
		{"InsertOnlyNew", upload("new", []byte("new"), 1<<20, true), http.StatusPreconditionFailed},
		{"Resumable", upload("large", large, 256<<10, false), 0},
		{"ResumableOnlyNew", upload("large-new", large, 256<<10, true), 0},
		{"ResumableOneChunk", upload("one", large, 1<<20, false), 0},
		{"Attrs", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := object(b, run, "large").Attrs(ctx)
			return err
		}, 0},
		{"Read", func(ctx context.Context, b *storage.BucketHandle) error {
			content, err := read(ctx, object(b, run, "large"))
			if err == nil && !bytes.Equal(content, large) {
				return fmt.Errorf("large has %d other bytes", len(content))
			}
			return err
		}, 0},
		{"Update", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := object(b, run, "small").Update(ctx, storage.ObjectAttrsToUpdate{Metadata: map[string]string{"a": "1"}})
			return err
		}, 0},
		{"UpdateUnchanged", func(ctx context.Context, b *storage.BucketHandle) error {
			o := object(b, run, "new").If(storage.Conditions{MetagenerationMatch: 1})
			_, err := o.Update(ctx, storage.ObjectAttrsToUpdate{Metadata: map[string]string{"a": "1"}})
			return err
		}, http.StatusPreconditionFailed},
		{"Copy", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := object(b, run, "copy").CopierFrom(object(b, run, "large")).Run(ctx)
			return err
		}, 0},
		{"CopyOnlyNew", func(ctx context.Context, b *storage.BucketHandle) error {
			to := object(b, run, "copy-new").If(storage.Conditions{DoesNotExist: true})
			_, err := to.CopierFrom(object(b, run, "large")).Run(ctx)
			return err
		}, http.StatusPreconditionFailed},
		{"Compose", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := object(b, run, "whole").ComposerFrom(object(b, run, "small"), object(b, run, "new")).Run(ctx)
			return err
		}, 0},
		{"Move", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := object(b, run, "one").Move(ctx, storage.MoveObjectDestination{Object: run + "/moved"})
			return err
		}, http.StatusNotFound},
		{"Delete", func(ctx context.Context, b *storage.BucketHandle) error {
			return object(b, run, "small").Delete(ctx)
		}, http.StatusNotFound},
		{"Bucket", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := b.Attrs(ctx)
			return err
		}, 0},
		{"List", func(ctx context.Context, b *storage.BucketHandle) error {
			_, err := list(ctx, b)
			return err
		}, 0},
	}
}

// TestGCSLostReplies loses the response of each request in turn: the client gets an error that it may
// retry. Google's client repeats the request, and the application ends as without the loss, or gets
// the error that Google would send.
func TestGCSLostReplies(t *testing.T) {
	emu := emulatortest.Start(t, options())
	s := newStory(t, emu, v1alpha2.BucketAccessModes{
		ObjectData: v1alpha2.BucketAccessModeReadWrite, ObjectMetadata: v1alpha2.BucketAccessModeReadWrite,
	})
	s.create(s.claim, s.access)
	s.waitReady()
	b := openBucket(t, emu, s.secret()).Retryer(storage.WithPolicy(storage.RetryAlways),
		storage.WithBackoff(gax.Backoff{Initial: time.Millisecond, Max: time.Millisecond}))
	before := len(emu.Journal().Since(0))
	runSteps(t, b, "clean", "")
	requests := 0
	for _, event := range emu.Journal().Since(0)[before:] {
		if event.Seam == journal.SeamStore && event.Component == emulator.ComponentGCS {
			requests++
		}
	}
	if least := len(lossSteps("")); requests < least {
		t.Fatalf("the journal has %d requests, want at least %d", requests, least)
	}
	for _, code := range []string{"SlowDown", "InternalError"} {
		for n := 1; n <= requests; n++ {
			run := fmt.Sprintf("%s-%d", code, n)
			t.Run(run, func(t *testing.T) {
				match := fault.Match{Seam: journal.SeamStore, Component: emulator.ComponentGCS, Nth: n}
				if err := emu.Faults().Add(fault.Fault{Name: run, Match: match, Effect: fault.Effect{LoseReply: code}}); err != nil {
					t.Fatal(err)
				}
				runSteps(t, b, run, code)
				status, err := emu.Faults().End(run)
				if err != nil || status.Applied != 1 {
					t.Errorf("the fault affected %d requests, want 1: %v", status.Applied, err)
				}
			})
		}
	}
}

// runSteps runs all steps, at most one of which may end with its error for a lost response, and expects
// the same objects as always.
func runSteps(t *testing.T, b *storage.BucketHandle, run, code string) {
	t.Helper()
	failed := ""
	for _, step := range lossSteps(run) {
		err := step.do(t.Context(), b)
		if err == nil {
			continue
		}
		if code == "" || failed != "" || step.lost == 0 || lossStatus(err) != step.lost {
			t.Errorf("%s: %v, want nil or status %d", step.name, err, step.lost)
		}
		failed = step.name
	}
	want := []string{"copy", "copy-new", "large", "large-new", "moved", "new", "whole"}
	var got []string
	for objects := b.Objects(t.Context(), &storage.Query{Prefix: run + "/"}); ; {
		next, err := objects.Next()
		if err != nil {
			break
		}
		got = append(got, next.Name[len(run)+1:])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

func lossStatus(err error) int {
	if errors.Is(err, storage.ErrObjectNotExist) {
		return http.StatusNotFound
	}
	if failed, ok := errors.AsType[*googleapi.Error](err); ok {
		return failed.Code
	}
	return 0
}
