package scale

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answers is an API server that answers everything in the same way.
type answers int

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	if a == 0 {
		return nil, errors.New("there is no API server")
	}
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}

func send(t *testing.T, through http.RoundTripper, method, path, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := through.RoundTrip(req)
	if err != nil {
		return
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	const claims = "/apis/objectstorage.k8s.io/v1alpha2/namespaces/shop/bucketclaims"
	m := newRequestCounter()
	ok, conflict, dead := m.tap("a")(answers(http.StatusOK)), m.tap("a")(answers(http.StatusConflict)), m.tap("a")(answers(0))
	send(t, ok, http.MethodPatch, claims+"/photos", "early")
	before := m.read()
	m.keep()
	send(t, ok, http.MethodPatch, claims+"/photos/status", "{}")
	send(t, conflict, http.MethodPatch, claims+"/photos", "{}")
	send(t, dead, http.MethodPost, claims, "{}")
	send(t, ok, http.MethodGet, claims+"/photos", "")
	send(t, ok, http.MethodGet, claims+"?watch=1", "")
	send(t, ok, http.MethodPost, "/apis/events.k8s.io/v1/namespaces/shop/events", "{}")
	got := m.read().since(before)
	want := requestCounts{
		requests: map[string]int{
			"patch bucketclaims/status": 1, "patch bucketclaims": 1, "create bucketclaims": 1, "get bucketclaims": 1,
			"watch bucketclaims": 1, "create events": 1,
		},
		calls:     map[string]int{},
		conflicts: 1,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(requestCounts{})); diff != "" {
		t.Errorf("counted: -want, +got:\n%s", diff)
	}
	parts := []int{total(got.writes()), total(got.events()), total(got.reads())}
	if diff := cmp.Diff([]int{3, 1, 1}, parts); diff != "" {
		t.Errorf("writes, Events and reads: -want, +got:\n%s", diff)
	}
	var done []string
	for _, w := range m.take() {
		if w.done {
			done = append(done, operation(w.verb, w.resource, w.sub)+" of "+w.name)
		}
	}
	if diff := cmp.Diff([]string{"patch bucketclaims/status of photos", "create events of "}, done); diff != "" {
		t.Errorf("kept, and done by the API server: -want, +got:\n%s", diff)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	if got, want := each(map[string]int{"patch buckets": 5, "create buckets": 2}, 2), "1 create buckets, 2.5 patch buckets"; got != want {
		t.Errorf("each() = %q, want %q", got, want)
	}
	if got := each(nil, 2); got != "none" {
		t.Errorf("each() of nothing = %q", got)
	}
}
