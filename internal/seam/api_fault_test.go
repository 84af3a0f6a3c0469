package seam_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

type shop struct{ served atomic.Int32 }

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.served.Add(1)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"Bucket","metadata":{"name":"b","resourceVersion":"7"}}`)
	_, _ = io.Copy(io.Discard, r.Body)
}

// buckets is client-go's client for buckets over the seam.
func buckets(t *testing.T, i *seam.Incarnation, handler http.Handler) dynamic.ResourceInterface {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return bucketsAt(t, i, &rest.Config{Host: server.URL})
}

func bucketsAt(t *testing.T, i *seam.Incarnation, cfg *rest.Config) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(i.RESTConfig(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(schema.GroupVersionResource{Group: "objectstorage.k8s.io", Version: "v1alpha2", Resource: "buckets"})
}

var aBucket = &unstructured.Unstructured{Object: map[string]any{
	"apiVersion": "objectstorage.k8s.io/v1alpha2", "kind": "Bucket", "metadata": map[string]any{"name": "b"},
}}

// TestAPIFaults does three updates; a fault affects the second.
func TestAPIFaults(t *testing.T) {
	second := fault.Match{Seam: journal.SeamAPI, Operation: "update buckets", Nth: 2}
	tests := map[string]struct {
		reason  string
		effect  fault.Effect
		is      func(error) bool // client-go's interpretation
		outcome string
		reached int32 // requests that have reached the server
	}{
		"Conflict": {"A reason by its status.", fault.Effect{Fail: "409"}, apierrors.IsConflict, "Conflict", 2},
		"Reason":   {"Another reason of the same status.", fault.Effect{Fail: "AlreadyExists"}, apierrors.IsAlreadyExists, "AlreadyExists", 2},
		"TooMany": {
			"Without a time to wait, client-go gives up.", fault.Effect{Fail: "429"}, apierrors.IsTooManyRequests, "TooManyRequests", 2,
		},
		"Internal": {"The API server has failed.", fault.Effect{Fail: "500"}, apierrors.IsInternalError, "InternalError", 2},
		"Down":     {"It does not serve.", fault.Effect{Fail: "503"}, apierrors.IsServiceUnavailable, "ServiceUnavailable", 2},
		"Timeout":  {"It was too slow.", fault.Effect{Fail: "504"}, apierrors.IsTimeout, "Timeout", 2},
		"Teapot": {
			"Any status.", fault.Effect{Fail: "418"},
			func(err error) bool { return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown && err != nil }, "I'm a teapot",
			2,
		},
		"Reset": {"The connection is reset.", fault.Effect{Fail: fault.Reset}, utilnet.IsConnectionReset, "ConnectionError", 2},
		"TLS": {
			"TLS ends in the middle.", fault.Effect{Fail: fault.TLS},
			func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }, "ConnectionError", 2,
		},
		"Refused": {"No server listens.", fault.Effect{Fail: fault.Refused}, utilnet.IsConnectionRefused, "ConnectionError", 2},
		"Lost": {
			"It has happened, and the reply is lost.", fault.Effect{LoseReply: fault.Reset}, utilnet.IsConnectionReset,
			"ConnectionError", 3,
		},
		"LostCode": {"It has happened, and the reply is an error.", fault.Effect{LoseReply: "504"}, apierrors.IsTimeout, "Timeout", 3},
		"Twice":    {"It happens twice.", fault.Effect{Duplicate: true}, func(err error) bool { return err == nil }, "OK", 4},
		"Delay":    {"It happens later.", fault.Effect{Delay: time.Millisecond}, func(err error) bool { return err == nil }, "OK", 3},
		"Before": {
			"The component dies before.", fault.Effect{Crash: fault.Before},
			func(err error) bool { return errors.Is(err, seam.ErrFenced) }, "Fenced", 1,
		},
		"After": {
			"The component dies afterwards.", fault.Effect{Crash: fault.After},
			func(err error) bool { return errors.Is(err, seam.ErrFenced) }, "Fenced", 2,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, _, j := withFault(t, second, tc.effect)
			server := &shop{}
			client := buckets(t, i, server)
			for n := range 3 {
				_, err := client.Update(t.Context(), aBucket, metav1.UpdateOptions{})
				fenced := n == 2 && tc.effect.Crash != ""
				if ok := err == nil || fenced; n != 1 && !ok {
					t.Errorf("update %d: %v, want no fault", n+1, err)
				}
				if n == 1 && !tc.is(err) {
					t.Errorf("%s update 2: %v", tc.reason, err)
				}
			}
			if got := server.served.Load(); got != tc.reached {
				t.Errorf("%d requests have reached the server, want %d", got, tc.reached)
			}
			expectApplied(t, j, "update buckets b "+tc.outcome)
		})
	}
}

// TestAPILostReply expects the real outcome in the journal.
func TestAPILostReply(t *testing.T) {
	i, _, j := withFault(t, fault.Match{Seam: journal.SeamAPI}, fault.Effect{LoseReply: "500"})
	_, err := buckets(t, i, &shop{}).Create(t.Context(), aBucket, metav1.CreateOptions{})
	if !apierrors.IsInternalError(err) {
		t.Fatalf("Create() = %v, want InternalError", err)
	}
	event := j.Since(0)[0]
	if event.Outcome != "InternalError" || !strings.Contains(string(event.Response), `"resourceVersion":"7"`) {
		t.Errorf("%s with response %s, want the outcome that was seen and the response that was not", event, event.Response)
	}
}

// inMemory is a transport in which a handler answers without a connection.
type inMemory struct{ http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	m.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// TestAPIRetryAfter: client-go waits and retries by itself.
func TestAPIRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, set, j := withFault(t, fault.Match{Seam: journal.SeamAPI, Nth: 1}, fault.Effect{Fail: "429", RetryAfter: time.Millisecond})
		client := bucketsAt(t, i, &rest.Config{Host: "http://api.test", Transport: inMemory{&shop{}}})
		begin := time.Now()
		if _, err := client.Get(t.Context(), "b", metav1.GetOptions{}); err != nil {
			t.Errorf("Get() = %v, want client-go to come again", err)
		}
		if waited := time.Since(begin); waited != time.Second {
			t.Errorf("client-go has come again after %s, want the second that Retry-After says", waited)
		}
		expectApplied(t, j, "get buckets b TooManyRequests")
		if s := set.List()[0]; s.Matched != 2 || s.Applied != 1 {
			t.Errorf("matched %d, applied %d; want 2 and 1", s.Matched, s.Applied)
		}
	})
}

func TestAPIHang(t *testing.T) {
	t.Run("Deadline", func(t *testing.T) {
		i, _, j := withFault(t, fault.Match{Seam: journal.SeamAPI}, fault.Effect{Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := buckets(t, i, &shop{}).Get(ctx, "b", metav1.GetOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Get() = %v, want DeadlineExceeded", err)
		}
		expectApplied(t, j, "get buckets b DeadlineExceeded")
	})
	t.Run("Healed", func(t *testing.T) {
		i, set, _ := withFault(t, fault.Match{Seam: journal.SeamAPI, Operation: "update *"}, fault.Effect{Hang: true})
		ended := make(chan error, 1)
		client := buckets(t, i, &shop{})
		go func() {
			_, err := client.Update(context.Background(), aBucket, metav1.UpdateOptions{})
			ended <- err
		}()
		expectHanging(t, set, ended)
		set.Clear()
		if err := <-ended; !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("Update() = %v, want a connection that was reset", err)
		}
	})
	t.Run("Fenced", func(t *testing.T) {
		i, set, j := withFault(t, fault.Match{Seam: journal.SeamAPI}, fault.Effect{Hang: true})
		ended := make(chan error, 1)
		client := buckets(t, i, &shop{})
		go func() {
			_, err := client.Get(context.Background(), "b", metav1.GetOptions{})
			ended <- err
		}()
		expectHanging(t, set, ended)
		i.Fence()
		if err := <-ended; !errors.Is(err, seam.ErrFenced) {
			t.Errorf("Get() = %v, want ErrFenced", err)
		}
		expectApplied(t, j, "get buckets b Fenced")
	})
}

// waitApplied waits until the fault of the set was applied this often.
func waitApplied(t *testing.T, set *fault.Set, times int) {
	t.Helper()
	harness.Until(t, "the fault is applied", func(context.Context) (bool, error) { return set.List()[0].Applied >= times, nil })
}

// expectHanging waits until the fault was applied, and expects that the call has not ended.
func expectHanging(t *testing.T, set *fault.Set, ended <-chan error) {
	t.Helper()
	waitApplied(t, set, 1)
	select {
	case err := <-ended:
		t.Fatalf("the call does not hang: %v", err)
	default:
	}
}

// TestAPIWatchFaults watches three buckets; a fault affects the event of the second.
func TestAPIWatchFaults(t *testing.T) {
	second := fault.Match{Seam: journal.SeamAPI, Operation: "event buckets", Subject: "b2"}
	tests := map[string]struct {
		reason  string
		effect  fault.Effect
		want    string
		outcome string
	}{
		"Drop":   {"It is never told.", fault.Effect{Drop: true}, "b1 b3", "Dropped"},
		"Repeat": {"The event arrives twice.", fault.Effect{Duplicate: true}, "b1 b2 b2 b3", "Repeated"}, //nolint:dupword // that is it
		"Close":  {"The watch ends before it.", fault.Effect{CloseWatch: true}, "b1", "Closed"},
		"Delay":  {"The event arrives later.", fault.Effect{Delay: time.Millisecond}, "b1 b2 b3", "Delayed"},
		"Before": {"The component dies before it.", fault.Effect{Crash: fault.Before}, "b1", "Fenced"},
		"After":  {"The component dies of it.", fault.Effect{Crash: fault.After}, "b1", "Fenced"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, _, j := withFault(t, second, tc.effect)
			w, err := buckets(t, i, tellers("b1", "b2", "b3")).Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			var told []string
			for event := range w.ResultChan() {
				if object, ok := event.Object.(*unstructured.Unstructured); ok {
					told = append(told, object.GetName())
				}
			}
			if got := strings.Join(told, " "); got != tc.want {
				t.Errorf("%s told: %s, want %s", tc.reason, got, tc.want)
			}
			expectApplied(t, j, "event buckets b2 "+tc.outcome)
		})
	}
}

// tellers is an API server whose watch sends events of objects, and ends.
func tellers(names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for n, name := range names {
			_, _ = fmt.Fprintf(w, `{"type":"ADDED","object":{"apiVersion":"objectstorage.k8s.io/v1alpha2","kind":"Bucket",`+
				`"metadata":{"name":%q,"resourceVersion":"%d"}}}`+"\n", name, n+10)
		}
	}
}

// TestAPIFreeze holds events back until the fault is removed.
func TestAPIFreeze(t *testing.T) {
	i, set, j := withFault(t, fault.Match{Seam: journal.SeamAPI, Operation: "*buckets"}, fault.Effect{Freeze: true})
	w, err := buckets(t, i, tellers("b1", "b2")).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	waitApplied(t, set, 2)
	select {
	case event := <-w.ResultChan():
		t.Fatalf("%v was delivered although the watch is frozen", event)
	default:
	}
	set.Clear()
	var told int
	for range w.ResultChan() {
		told++
	}
	if told != 2 {
		t.Errorf("%d events were delivered, want 2", told)
	}
	expectApplied(t, j, "watch buckets OK", "event buckets b1 Frozen")
}

// TestAPILag holds an event while another component works, and then lets one after the other pass.
func TestAPILag(t *testing.T) {
	i, set, j := withFault(t, fault.Match{Seam: journal.SeamAPI, Operation: "* buckets"}, fault.Effect{Lag: true})
	work := j.Begin("another", 1, journal.SeamAPI, journal.Operation{Name: "update buckets", Subject: "b3"})
	w, err := buckets(t, i, tellers("b1", "b2")).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	waitApplied(t, set, 2) // the watch and its first event
	select {
	case event := <-w.ResultChan():
		t.Fatalf("%v was delivered although a component works", event)
	default:
	}
	work.Outcome = journal.OutcomeOK
	j.Append(work)
	var told int
	for range w.ResultChan() {
		told++
	}
	if told != 2 {
		t.Errorf("%d events were delivered, want 2", told)
	}
	expectApplied(t, j, "watch buckets OK", "event buckets b1 Delayed", "event buckets b2 Delayed")
}

// TestAPILagAmongRetries lets an event pass although a component repeats a call, which succeeds, and a write,
// which needs the event.
func TestAPILagAmongRetries(t *testing.T) {
	i, _, j := withFault(t, fault.Match{Seam: journal.SeamAPI, Operation: "event buckets"}, fault.Effect{Lag: true})
	w, err := buckets(t, i, tellers("b1")).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	retry := time.NewTicker(time.Millisecond)
	defer retry.Stop()
	for {
		select {
		case <-w.ResultChan():
			return
		case <-t.Context().Done():
			t.Fatal("the event was never delivered")
		case <-retry.C:
			call := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverCreateBucket", Subject: "b1"})
			call.Outcome = journal.OutcomeOK
			j.Append(call)
		}
	}
}
