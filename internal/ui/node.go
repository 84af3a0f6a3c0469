package ui

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
)

// The kinds of nodes. Kinds that Kubernetes does not have belong to the backend.
const (
	kindClaim       = "BucketClaim"
	kindBucket      = "Bucket"
	kindAccess      = "BucketAccess"
	kindClass       = "BucketClass"
	kindAccessClass = "BucketAccessClass"
	kindSecret      = "Secret"
	kindBackend     = "backend"
	kindAccount     = "account"
	kindDriver      = "driver"
)

// The states of a node are the classes of conditions, or "" for objects without conditions.
const (
	stateGood    = "good"
	statePoor    = "poor"
	stateAwful   = "awful"
	stateUnknown = "unknown"
	stateNone    = "none"
)

type node struct {
	// ID is KIND/NAME or KIND/NAMESPACE/NAME.
	ID        string     `json:"id"`
	Kind      string     `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	Created   *time.Time `json:"created,omitempty"`
	// Deleting and Finalizers explain why it still exists.
	Deleting   bool        `json:"deleting,omitempty"`
	Finalizers []string    `json:"finalizers,omitempty"`
	State      string      `json:"state"`
	Conditions []condition `json:"conditions,omitempty"`
	// Links are the nodes that the object names.
	Links []string `json:"links,omitempty"`
	// Subjects are the object's names in the journal.
	Subjects []string `json:"subjects,omitempty"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	State   string `json:"state"`
}

func nodeID(kind, namespace, name string) string {
	if namespace == "" {
		return kind + "/" + name
	}
	return kind + "/" + namespace + "/" + name
}

// newNode extracts the fields for the graph from an object of either version of the kinds.
func newNode(o *unstructured.Unstructured) *node {
	created := o.GetCreationTimestamp().Time
	n := &node{
		ID: nodeID(o.GetKind(), o.GetNamespace(), o.GetName()), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(),
		Created: &created, Deleting: o.GetDeletionTimestamp() != nil, Finalizers: o.GetFinalizers(), State: stateNone,
	}
	n.Subjects = []string{n.Name}
	if n.Namespace != "" {
		n.Subjects = []string{n.Namespace + "/" + n.Name}
	}
	if slices.Contains([]string{kindClaim, kindBucket, kindAccess}, n.Kind) {
		n.readConditions(o)
	}
	n.readLinks(o)
	return n
}

func (n *node) readConditions(o *unstructured.Unstructured) {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	n.State = stateUnknown
	for _, item := range all {
		fields, _ := item.(map[string]any)
		text := func(name string) string { value, _ := fields[name].(string); return value }
		c := condition{Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message")}
		c.State = chart.ConditionClass(c.Type, c.Status)
		n.Conditions = append(n.Conditions, c)
	}
	if message := field(o, "status", "error", "message"); message != "" { // in drafts without conditions
		n.Conditions = append(n.Conditions, condition{Type: "error", Message: message, State: statePoor})
	}
	is := func(state string) bool {
		return slices.ContainsFunc(n.Conditions, func(c condition) bool { return c.State == state })
	}
	switch {
	case is(stateAwful):
		n.State = stateAwful
	case is(statePoor):
		n.State = statePoor
	case isReady(o):
		n.State = stateGood
	}
}

// isReady reports whether an object of either version can be used.
func isReady(o *unstructured.Unstructured) bool {
	for _, field := range []string{"readyToUse", "bucketReady", "accessGranted"} {
		if ready, _, _ := unstructured.NestedBool(o.Object, "status", field); ready {
			return true
		}
	}
	return false
}

// field returns a text in an object, or "".
func field(o *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, path...)
	return value
}

// readLinks finds the names of other objects, whose fields depend on the version.
func (n *node) readLinks(o *unstructured.Unstructured) {
	link := func(kind, namespace, name string) {
		if name != "" {
			n.Links = append(n.Links, nodeID(kind, namespace, name))
		}
	}
	switch n.Kind {
	case kindClaim:
		link(kindClass, "", field(o, "spec", "bucketClassName"))
		for _, path := range [][]string{{"status", "boundBucketName"}, {"status", "bucketName"}} {
			link(kindBucket, "", field(o, path...))
		}
	case kindBucket:
		link(kindBackend, "", field(o, "status", "bucketID"))
		link(kindDriver, "", field(o, "spec", "driverName"))
		n.addSubject(field(o, "status", "bucketID"))
	case kindAccess:
		link(kindAccessClass, "", field(o, "spec", "bucketAccessClassName"))
		link(kindClaim, n.Namespace, field(o, "spec", "bucketClaimName"))
		link(kindSecret, n.Namespace, field(o, "spec", "credentialsSecretName"))
		claims, _, _ := unstructured.NestedSlice(o.Object, "spec", "bucketClaims")
		for _, item := range claims {
			fields, _ := item.(map[string]any)
			claim, _ := fields["bucketClaimName"].(string)
			secret, _ := fields["accessSecretName"].(string)
			link(kindClaim, n.Namespace, claim)
			link(kindSecret, n.Namespace, secret)
		}
		link(kindAccount, "", field(o, "status", "accountID"))
		n.addSubject(field(o, "status", "accountID"))
	case kindClass, kindAccessClass:
		driver := field(o, "spec", "driverName")
		if driver == "" {
			driver = field(o, "driverName")
		}
		link(kindDriver, "", driver)
	}
}

func (n *node) addSubject(name string) {
	if name != "" && !slices.Contains(n.Subjects, name) {
		n.Subjects = append(n.Subjects, name)
	}
}

// concerns reports whether an operation is about one of the subjects: the object itself, an S3
// object in it, or a message that names it.
func concerns(subjects []string, subject, message string) bool {
	return slices.ContainsFunc(subjects, func(s string) bool {
		rest, found := strings.CutPrefix(subject, s)
		return found && (rest == "" || rest[0] == '/') || strings.Contains(message, s)
	})
}
