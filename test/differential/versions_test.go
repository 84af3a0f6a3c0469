package differential

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	planekind "github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

// versionedKinds are the kinds of TestProgramsVersions: of a custom resource, and built-in.
var versionedKinds = []string{"bucketclaims", "configmaps"}

// TestProgramsVersions lists and watches from old, present, future and compacted versions.
func TestProgramsVersions(t *testing.T) {
	d := newDifferential(t, withoutControllers)
	var histories []*versionHistory
	for _, k := range d.kinds {
		if len(histories) < len(versionedKinds) && k.Resource == versionedKinds[len(histories)] {
			histories = append(histories, d.writeHistory(t, k))
		}
	}
	if len(histories) < len(versionedKinds) {
		t.Fatalf("kinds.yaml has not all of %v in this order", versionedKinds)
	}
	for _, h := range histories {
		d.compareVersions(t, h, "")
	}
	d.compact(t)
	for _, h := range histories {
		d.compareVersions(t, h, "compacted ")
	}
}

// versionHistory has the writes of a kind, and the version on both servers after each write.
type versionHistory struct {
	kind      *kind
	namespace string
	// steps are descriptions of the writes, and at has the versions after them.
	steps []string
	at    [][2]string
	// tokens continue a list whose first page is of the middle of the history.
	tokens [2]string
}

// writeHistory creates, changes and deletes objects.
func (d *differential) writeHistory(t *testing.T, k *kind) *versionHistory {
	t.Helper()
	h := &versionHistory{kind: k, namespace: "versions-" + k.Resource}
	d.mustAccept(t, request{
		Method: http.MethodPost, Path: "/api/v1/namespaces",
		Body: text(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": h.namespace}}),
	})
	collection := k.path(h.namespace)
	write := func(step, method, name, body string) {
		r := request{Method: method, Path: collection, Object: collection + "/" + name, Body: body}
		if method != http.MethodPost {
			r.Path = r.Object
		}
		d.mustAccept(t, r)
		h.steps, h.at = append(h.steps, step), append(h.at, d.versionsOf(t, k, h.namespace))
	}
	h.steps, h.at = []string{"nothing"}, [][2]string{d.versionsOf(t, k, h.namespace)}
	for _, name := range []string{"a", "b", "c"} {
		write("create "+name, http.MethodPost, name, text(k.object(0, h.namespace, name)))
	}
	write("label a", http.MethodPatch, "a", `{"metadata":{"labels":{"color":"red"}}}`)
	for i, answer := range d.mustAccept(t, request{Method: http.MethodGet, Path: collection, Query: url.Values{"limit": {"1"}}}) {
		body, _ := answer.Body.(map[string]any)
		metadata, _ := body["metadata"].(map[string]any)
		h.tokens[i], _ = metadata["continue"].(string)
	}
	write("delete b", http.MethodDelete, "b", "")
	write("label c", http.MethodPatch, "c", `{"metadata":{"labels":{"color":"red"}}}`)
	write("unlabel a", http.MethodPatch, "a", `{"metadata":{"labels":null}}`)
	return h
}

// mustAccept sends a request that both servers have to accept.
func (d *differential) mustAccept(t *testing.T, r request) [2]response {
	t.Helper()
	switch r.Method {
	case http.MethodPatch:
		r.ContentType = "application/merge-patch+json"
	case http.MethodGet:
	default:
		r.ContentType = "application/json"
	}
	answers := d.mustDo(t, r)
	for i, answer := range answers {
		if answer.Code >= http.StatusMultipleChoices {
			t.Fatalf("server %d: %s: %d %v", i, r, answer.Code, answer.Body)
		}
	}
	return answers
}

// listOptions are the parameters of lists from a version.
var listOptions = []url.Values{
	{},
	{"resourceVersionMatch": {"Exact"}},
	{"resourceVersionMatch": {"NotOlderThan"}},
	{"resourceVersionMatch": {"Other"}},
	{"limit": {"1"}},
	{"limit": {"1"}, "resourceVersionMatch": {"Exact"}},
	{"limit": {"1"}, "resourceVersionMatch": {"NotOlderThan"}},
	{"labelSelector": {"color=red"}},
	{"labelSelector": {"color=red"}, "resourceVersionMatch": {"Exact"}},
	{"fieldSelector": {"metadata.name=b"}, "resourceVersionMatch": {"Exact"}},
}

// compareVersions lists, continues and watches from each version of a history. The list before
// has the caches of the servers know the latest one.
func (d *differential) compareVersions(t *testing.T, h *versionHistory, state string) {
	t.Helper()
	collection := h.kind.path(h.namespace)
	d.versionsOf(t, h.kind, h.namespace)
	steps, at := append([]string{"any", "the first"}, h.steps...), append([][2]string{{"0", "0"}, {"1", "1"}}, h.at...)
	for i, versions := range at {
		what := fmt.Sprintf("%s%s after %q", state, h.kind.Resource, steps[i])
		for _, options := range listOptions {
			d.compareAt(t, what, versions, collection, options)
		}
		d.compareAt(t, what, versions, collection+"/a", url.Values{})
		d.compareEvents(t, what, h, versions)
	}
	d.comparePages(t, state+h.kind.Resource, h)
	// kube-apiserver waits for the future for three seconds.
	future := [2]string{"999999999", "999999999"}
	d.compareAt(t, state+h.kind.Resource+" in the future", future, collection, url.Values{})
	d.compareAt(t, state+h.kind.Resource+" in the future", future, collection, url.Values{"resourceVersionMatch": {"Exact"}})
}

// compareAt compares the answers to a GET from a version of each server.
func (d *differential) compareAt(t *testing.T, what string, versions [2]string, path string, options url.Values) {
	t.Helper()
	var answers [2]map[string]any
	r := request{Method: http.MethodGet, Path: path, Query: url.Values{}}
	for i, s := range d.servers {
		maps.Copy(r.Query, options)
		r.Query.Set("resourceVersion", versions[i])
		answer, err := s.do(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: server %d: %s: %v", what, i, r, err)
		}
		answers[i] = compared(answer)
	}
	d.differ(t, what+": "+r.String(), answers[0], answers[1])
}

// comparePages continues the list whose first page is old.
func (d *differential) comparePages(t *testing.T, what string, h *versionHistory) {
	t.Helper()
	var answers [2]map[string]any
	for i, s := range d.servers {
		r := request{Method: http.MethodGet, Path: h.kind.path(h.namespace), Query: url.Values{"limit": {"1"}, "continue": {h.tokens[i]}}}
		answer, err := s.do(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: server %d: %s: %v", what, i, r, err)
		}
		answers[i] = compared(answer)
	}
	d.differ(t, what+": next page", answers[0], answers[1])
}

// compareEvents compares the events from a version up to the last step, or the rejection of
// the watch.
func (d *differential) compareEvents(t *testing.T, what string, h *versionHistory, versions [2]string) {
	t.Helper()
	last := h.at[len(h.at)-1]
	if versions == last {
		return // there are no events
	}
	var events [2]any
	for i, s := range d.servers {
		seen, err := s.watch(t.Context(), h.kind.path(h.namespace), versions[i], func(object map[string]any) bool {
			metadata, _ := object["metadata"].(map[string]any)
			return metadata["resourceVersion"] == last[i] || versions[i] == "0" && metadata["name"] == "c"
		})
		if err != nil {
			t.Fatalf("%s: server %d: %v", what, i, err)
		}
		events[i] = normalize(seen)
	}
	d.differ(t, what+": watch", events[0], events[1])
}

func (d *differential) differ(t *testing.T, what string, programs, embedded any) {
	t.Helper()
	if diff := cmp.Diff(programs, embedded); diff != "" {
		t.Errorf("%s\n-%s +%s\n%s", what, planekind.Envtest, planekind.Embedded, diff)
	}
}

// compact compacts both storages up to now, and restarts the API servers: kube-apiserver has
// the latest versions in its caches, too.
func (d *differential) compact(t *testing.T) {
	t.Helper()
	d.mustAccept(t, request{ // a write after those that are compared: the latest version is not compacted
		Method: http.MethodPost, Path: "/api/v1/namespaces",
		Body: text(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "versions-end"}}),
	})
	compactEtcd(t, d.dirs[0])
	embedded, ok := d.planes[1].(interface{ Compact() error })
	if !ok {
		t.Fatalf("%T cannot be compacted", d.planes[1])
	}
	if err := embedded.Compact(); err != nil {
		t.Fatal(err)
	}
	for _, plane := range d.planes {
		if err := plane.StopComponent(t.Context(), controlplane.APIServer); err != nil {
			t.Fatal(err)
		}
		if err := plane.StartComponent(t.Context(), controlplane.APIServer); err != nil {
			t.Fatal(err)
		}
	}
}

// compactEtcd compacts etcd up to its latest revision.
func compactEtcd(t *testing.T, dir string) {
	t.Helper()
	sockets, err := filepath.Glob(filepath.Join(dir, "run", "*", "etcd.sock*"))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("etcd has the sockets %v in %s: %v", sockets, dir, err)
	}
	connection, err := grpc.NewClient("unix://"+sockets[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), requestTimeout)
	defer cancel()
	client := etcdserverpb.NewKVClient(connection)
	latest, err := client.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("/"), CountOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: latest.GetHeader().GetRevision(), Physical: true})
	if err != nil {
		t.Fatal(err)
	}
}
