package phasetest

import (
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlrecorder "sigs.k8s.io/controller-runtime/pkg/recorder"

	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// Case is the world of one case: objects, the component's cache of them, and what happens
// between its requests. It is for one phase.
type Case struct {
	// Cluster is the administrator's view, whose requests are not recorded.
	*cluster.Cluster

	suite   *Suite
	objects []client.Object // of Make

	cache      cache.Cache // nil until it is needed
	watches    *cluster.Requests
	thaw       func()
	unreadable []runtime.Object

	requests *cluster.Requests // of the phase
	calls    calls             // of a driver, by the phase
	hooks    []*hook
	recorder *recorder
	before   state
	runs     atomic.Bool // the phase
}

// hook is what happens before a request or a call of the phase.
type hook struct {
	line   string // prefix of the line
	do     func() // once
	reject int    // the status of the answer, each time
}

// Name returns a unique name for an object that is in no namespace. In an Outcome it is
// the short name again, the namespace of the case is "ns", and the UID of an object that
// Make has created is "uid-" and its name.
func (c *Case) Name(short string) string { return short + "-" + c.Namespace }

// Make creates objects as they are given, in their order, with their status. An object
// with a deletionTimestamp is deleted then, and needs a finalizer to stay. The namespace of
// an object defaults to the case's.
func (c *Case) Make(objects ...client.Object) {
	c.Helper()
	if c.cache != nil && c.thaw == nil && !c.runs.Load() {
		c.Fatal("Make is called after Client: the cache may be behind or not; call it earlier, or in Behind or Before")
	}
	for _, object := range objects {
		c.Must(c.make(object))
		c.objects = append(c.objects, object)
	}
}

func (c *Case) make(object client.Object) error {
	namespaced, err := c.IsObjectNamespaced(object)
	if err != nil {
		return err
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(c.Namespace)
	}
	given, deleting := object.DeepCopyObject(), object.GetDeletionTimestamp() != nil
	object.SetDeletionTimestamp(nil)
	if err := c.Create(c.Context(), object); err != nil {
		return err
	}
	if copyStatus(given, object) {
		if err := c.Status().Update(c.Context(), object); err != nil {
			return err
		}
	}
	if !deleting {
		return nil
	}
	if err := c.Delete(c.Context(), object); err != nil {
		return err
	}
	return c.Refresh(object)
}

// copyStatus gives an object another one's status, and reports whether it has one.
func copyStatus(from, to any) bool {
	status := reflect.ValueOf(from).Elem().FieldByName("Status")
	if !status.IsValid() || status.IsZero() {
		return false
	}
	reflect.ValueOf(to).Elem().FieldByName("Status").Set(status)
	return true
}

// Behind makes a change that the component's cache does not see until the phase writes. If kinds are
// named, the cache is behind only with these, and has the changes of the others.
func (c *Case) Behind(change func(), kinds ...client.Object) {
	c.Helper()
	c.startCache()
	all := kinds
	if len(kinds) == 0 {
		all = c.suite.Kinds
	}
	var thaws []func()
	for _, kind := range all {
		thaws = append(thaws, c.watches.Freeze(c.resource(kind)))
	}
	c.thaw = func() {
		for _, thaw := range thaws {
			thaw()
		}
	}
	c.Cleanup(c.thaw)
	change()
	if len(kinds) > 0 {
		c.waitCached(kinds)
	}
}

// FailReads has the component's cache fail to read the kinds, or to list them if they are
// kinds of lists. It comes before Client.
func (c *Case) FailReads(kinds ...runtime.Object) { c.unreadable = append(c.unreadable, kinds...) }

// Before calls a function before the first request or call of the phase whose line begins
// like that, such as "patch buckets", "get bucketclaims" or "call DriverCreateBucket". The
// changes in an Outcome are those since then.
func (c *Case) Before(line string, do func()) {
	c.hooks = append(c.hooks, &hook{line: line, do: do})
}

// Reject has the API server answer each request of the phase whose line begins like that
// with an error, such as http.StatusInternalServerError.
func (c *Case) Reject(line string, status int) {
	c.hooks = append(c.hooks, &hook{line: line, reject: status})
}

// intercept is called before each request of the phase.
func (c *Case) intercept(request *http.Request) (*http.Response, error) {
	line := lineOf(cluster.Request{Method: request.Method, Path: request.URL.Path, Body: cluster.BodyOf(request)})
	if status := c.happens(line); status != 0 {
		return answer(request, status), nil
	}
	if c.thaw != nil && request.Method != http.MethodGet {
		c.thaw()
	}
	return nil, nil
}

// happens is called before a request or a call. It returns the status with which the request
// is rejected, or 0.
func (c *Case) happens(line string) int {
	for _, h := range c.hooks {
		switch {
		case !strings.HasPrefix(line, h.line):
		case h.reject != 0:
			return h.reject
		case h.do != nil:
			h.do()
			h.do = nil
			c.before = c.read()
		}
	}
	return 0
}

func answer(request *http.Request, status int) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: http.NoBody, Request: request,
	}
}

// Recorder returns the recorder of the Events in the Outcome.
func (c *Case) Recorder() ctrlrecorder.EventRecorder { return c.recorder }
