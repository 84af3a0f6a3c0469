package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
	"github.com/cosi-emu/cosi-emu/scenarios/match"
)

// backend changes what the store holds, and then compares it with what is expected.
func (r *run) backend(ctx context.Context, s *document.Step) (any, error) {
	if err := r.changeBackend(ctx, s.Backend); err != nil {
		return nil, err
	}
	truth, err := r.truth(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		kind     string
		expected document.Named
		got      map[string]any
	}{{"bucket", s.Backend.Buckets, truth.buckets}, {"account", s.Backend.Accounts, truth.accounts}} {
		if err := r.compareBackend(ctx, part.kind, part.expected, part.got, s.Backend.Only); err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // there is nothing to bind
}

func (r *run) compareBackend(ctx context.Context, kind string, expected document.Named, got map[string]any, only bool) error {
	var known []string
	for _, one := range expected {
		name, err := r.text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
		value, ok := got[name]
		if !ok {
			value = match.Missing
		}
		differences, err := match.Match(one.Pattern, value, r.known(ctx))
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return &Failure{
				Message: fmt.Sprintf("the %s %q of the backend is not as expected", kind, name), Differences: differences,
				Expected: expectedYAML(one.Pattern, r.known(ctx)), Got: toYAML(got[name]),
			}
		}
	}
	for name := range got {
		if only && !slices.Contains(known, name) && r.isOwn(name) {
			return &Failure{Message: fmt.Sprintf("the backend has the %s %q, too", kind, name), Got: toYAML(got[name])}
		}
	}
	return nil
}

// isOwn reports whether a name of the backend is of this scenario.
func (r *run) isOwn(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(append(slices.Clone(r.words), r.scope), func(word string) bool { return mentions(name, word) })
}

// truth is what the backend holds, as JSON has it, by names and IDs.
type truth struct{ buckets, accounts map[string]any }

func (r *run) truth(ctx context.Context) (truth, error) {
	found := truth{map[string]any{}, map[string]any{}}
	store := r.engine.emulator.Store()
	buckets, err := store.Buckets(ctx)
	if err != nil {
		return found, err
	}
	for _, b := range buckets {
		if found.buckets[b.Name], err = asJSON(b); err != nil {
			return found, err
		}
	}
	accounts, err := store.Accounts(ctx)
	if err != nil {
		return found, err
	}
	for _, a := range accounts {
		if found.accounts[a.ID], err = asJSON(a); err != nil {
			return found, err
		}
	}
	return found, nil
}

func asJSON(value any) (any, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var decoded any
	err = json.Unmarshal(body, &decoded)
	return decoded, err
}

// changeBackend does what the step asks for, without asking COSI.
func (r *run) changeBackend(ctx context.Context, asked *document.Backend) error {
	backend := r.engine.emulator.Store()
	for _, change := range []struct {
		name document.Text
		do   func(name string) error
	}{
		{asked.CreateBucket, func(name string) error {
			r.bring(name)
			_, err := backend.CreateBucket(ctx, store.BucketSpec{Name: name, Owner: backendOwner, Purge: true})
			return err
		}},
		{asked.DeleteBucket, func(name string) error {
			r.watcher.Touch(name)
			return r.deleteBucket(ctx, name)
		}},
		{asked.DeleteAccount, func(id string) error {
			r.watcher.Touch(id)
			return backend.DeleteAccount(ctx, r.ownerOf(ctx, id), id)
		}},
	} {
		if change.name.IsZero() {
			continue
		}
		name, err := r.text(ctx, change.name)
		if err != nil {
			return err
		}
		if err := change.do(name); err != nil {
			return err
		}
	}
	if asked.Put != nil {
		return r.putBehind(ctx, asked.Put)
	}
	return nil
}

// putBehind puts an object into a bucket, as the store's administrator.
func (r *run) putBehind(ctx context.Context, asked *document.PutObject) error {
	var texts [3]string
	for i, text := range []document.Text{asked.Bucket, asked.Key, asked.Content} {
		var err error
		if texts[i], err = r.text(ctx, text); err != nil {
			return err
		}
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := r.administrator(ctx, texts[0], transport)
	if err != nil {
		return err
	}
	if err := r.mayPut(len(texts[2])); err != nil {
		return err
	}
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: &texts[0], Key: &texts[1], Body: strings.NewReader(texts[2])})
	if err != nil {
		return fmt.Errorf("put object %s into bucket %s: %w", texts[1], texts[0], err)
	}
	return nil
}

// backendOwner is whose the buckets are that no driver knows of.
const backendOwner = "admin"

func (r *run) ownerOf(ctx context.Context, account string) string {
	accounts, _ := r.engine.emulator.Store().Accounts(ctx) // an error will come back from what follows
	for _, a := range accounts {
		if a.ID == account {
			return a.Owner
		}
	}
	return ""
}
