package seam_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/proto/redact"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

func newIncarnation(t *testing.T) (*seam.Incarnation, *journal.Journal) {
	t.Helper()
	j := journal.New(journal.Options{})
	i := seam.NewIncarnation(j, "actor", 1)
	t.Cleanup(i.Fence)
	return i, j
}

// apiClient returns a client whose requests cross the seam, and a server that
// answers them.
func apiClient(t *testing.T, i *seam.Incarnation, handler http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := rest.HTTPClientFor(i.RESTConfig(&rest.Config{Host: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	return client, server.URL
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func do(t *testing.T, client *http.Client, method, url, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

func TestAPIEvents(t *testing.T) {
	const (
		claims  = "/apis/objectstorage.k8s.io/v1alpha2/namespaces/ns/bucketclaims"
		buckets = "/apis/objectstorage.k8s.io/v1alpha2/buckets"
		secrets = "/api/v1/namespaces/ns/secrets"
	)
	hidden := redact.Placeholder
	tests := map[string]struct {
		reason            string
		method, path      string
		body              string
		status            int
		answer            string
		op                journal.Operation
		outcome, message  string
		request, response string
	}{
		"Get": {
			method: "GET", path: claims + "/c", status: 200, answer: `{"a": 1}`,
			op: journal.Operation{Name: "get bucketclaims", Subject: "ns/c"}, outcome: "OK", response: `{"a":1}`,
		},
		"Create": {
			reason: "A new object is named in the body only.",
			method: "POST", path: buckets, body: `{"metadata":{"name":"b"}}`, status: 201, answer: `{}`,
			op: journal.Operation{Name: "create buckets", Subject: "b"}, outcome: "OK", request: `{"metadata":{"name":"b"}}`, response: `{}`,
		},
		"GenerateName": {
			method: "POST", path: claims, body: `{"metadata":{"generateName":"c-"}}`, status: 201, answer: `{}`,
			op: journal.Operation{Name: "create bucketclaims", Subject: "ns/c-"}, outcome: "OK",
			request: `{"metadata":{"generateName":"c-"}}`, response: `{}`,
		},
		"Status": {
			method: "PATCH", path: buckets + "/b/status", body: `{}`, status: 200, answer: `{}`,
			op: journal.Operation{Name: "patch buckets/status", Subject: "b"}, outcome: "OK", request: `{}`, response: `{}`,
		},
		"ManagedFields": {
			reason: "Who has set which field is left out; the rest stays as it is, to the digit.",
			method: "GET", path: buckets + "/b", status: 200, answer: `{"metadata":{"generation":12345678901,"managedFields":[{}],"name":"b"}}`,
			op: journal.Operation{Name: "get buckets", Subject: "b"}, outcome: "OK", response: `{"metadata":{"generation":12345678901,"name":"b"}}`,
		},
		"ManagedFieldsLast": {
			reason: "Only where they are fields of the metadata, and a list.",
			method: "GET", path: buckets + "/b", status: 200,
			answer: `{"a":{"b":{"managedFields":[1]}},"c":"}\"{\"managedFields\":[","metadata":{"name":"b","managedFields":[{"f":"]\""}]}}`,
			op:     journal.Operation{Name: "get buckets", Subject: "b"}, outcome: "OK",
			response: `{"a":{"b":{"managedFields":[1]}},"c":"}\"{\"managedFields\":[","metadata":{"name":"b"}}`,
		},
		"ManagedFieldsNone": {
			method: "PATCH", path: buckets + "/b", body: `{"metadata":{"managedFields":null}}`, status: 200, answer: `{}`,
			op: journal.Operation{Name: "patch buckets", Subject: "b"}, outcome: "OK",
			request: `{"metadata":{"managedFields":null}}`, response: `{}`,
		},
		"Conflict": {
			reason: "The API server's reason is the outcome.",
			method: "PUT", path: buckets + "/b", body: `{}`, status: 409, answer: `{"kind":"Status","reason":"Conflict","message":"modified"}`,
			op: journal.Operation{Name: "update buckets", Subject: "b"}, outcome: "Conflict", message: "modified", request: `{}`,
		},
		"NotJSON": {
			reason: "An error without a Status is named by HTTP.",
			method: "GET", path: buckets + "/b", status: 502, answer: `proxy`,
			op: journal.Operation{Name: "get buckets", Subject: "b"}, outcome: "Bad Gateway",
		},
		"List": {
			reason: "Lists are too large to keep.",
			method: "GET", path: claims, status: 200, answer: `{"items":[]}`,
			op: journal.Operation{Name: "list bucketclaims"}, outcome: "OK",
		},
		"Secret": {
			reason: "No value of a Secret is kept, in either direction.",
			method: "POST", path: secrets, body: `{"metadata":{"name":"s"},"data":{"K":"aHVzaA=="},"stringData":{"L":"hush"}}`,
			status: 201, answer: `{"data":{"K":"aHVzaA=="}}`,
			op: journal.Operation{Name: "create secrets", Subject: "ns/s"}, outcome: "OK",
			request:  `{"data":{"K":"` + hidden + `"},"metadata":{"name":"s"},"stringData":{"L":"` + hidden + `"}}`,
			response: `{"data":{"K":"` + hidden + `"}}`,
		},
		"SecretPatch": {
			reason: "That a key is removed is no secret.",
			method: "PATCH", path: secrets + "/s", body: `{"data":{"K":"aHVzaA==","L":null}}`, status: 200, answer: `{}`,
			op: journal.Operation{Name: "patch secrets", Subject: "ns/s"}, outcome: "OK",
			request: `{"data":{"K":"` + hidden + `","L":null}}`, response: `{}`,
		},
		"SecretJSONPatch": {
			reason: "What cannot be told apart is hidden as a whole.",
			method: "PATCH", path: secrets + "/s", body: `[{"op":"add","path":"/data/K","value":"aHVzaA=="}]`, status: 200, answer: `{}`,
			op: journal.Operation{Name: "patch secrets", Subject: "ns/s"}, outcome: "OK", request: `"` + hidden + `"`, response: `{}`,
		},
		"Discovery": {
			method: "GET", path: "/apis", status: 200, answer: `{}`,
			op: journal.Operation{Name: "get /apis"}, outcome: "OK",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, j := newIncarnation(t)
			client, url := apiClient(t, i, answer(tc.status, tc.answer))
			status, body, err := do(t, client, tc.method, url+tc.path, tc.body)
			if err != nil || status != tc.status || body != tc.answer {
				t.Fatalf("the client got %d %q, %v: the seam must not change anything", status, body, err)
			}
			events := j.Since(0)
			if len(events) != 1 {
				t.Fatalf("%d events, want 1", len(events))
			}
			got := events[0]
			want := journal.Event{
				Seq: 1, Time: got.Time, Component: "actor", Incarnation: 1, Seam: journal.SeamAPI, Operation: tc.op, Nth: 1,
				Request: raw(tc.request), Response: raw(tc.response), Outcome: tc.outcome, Message: tc.message, Duration: got.Duration,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func TestAPIFence(t *testing.T) {
	i, j := newIncarnation(t)
	arrived, released := make(chan struct{}), make(chan struct{})
	client, url := apiClient(t, i, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(released)
	})
	inFlight := make(chan error)
	go func() {
		_, _, err := do(t, client, "GET", url+"/apis", "")
		inFlight <- err
	}()
	<-arrived
	i.Fence()
	if err := <-inFlight; err == nil {
		t.Error("the request in flight was answered after the fence")
	}
	<-released // the server has noticed the end of the connection
	if _, _, err := do(t, client, "GET", url+"/apis", ""); !errors.Is(err, seam.ErrFenced) {
		t.Errorf("a request after the fence: %v, want ErrFenced", err)
	}
	events := j.Since(0)
	if len(events) != 1 || events[0].Outcome != seam.OutcomeFenced {
		t.Errorf("events: %v, want the request in flight as Fenced, and no other", events)
	}
}

func TestAPIWatch(t *testing.T) {
	i, j := newIncarnation(t)
	client, url := apiClient(t, i, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "first\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url+"/api/v1/secrets?watch=true", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	first := make([]byte, len("first\n"))
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatalf("a watch must stream while it lasts: %v", err)
	}
	if events := j.Since(0); len(events) != 1 || events[0].Operation.Name != "watch secrets" {
		t.Errorf("events: %v, want the begin of the watch", events)
	}
	if open := j.Watches(); len(open) != 1 || open[0].Operation.Name != "watch secrets" {
		t.Errorf("open watches: %v, want this one", open)
	}
	i.Fence()
	if rest, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the watch ended well after the fence, with %q", rest)
	}
	if open := j.Watches(); len(open) != 0 {
		t.Errorf("open watches after the end: %v", open)
	}
}
