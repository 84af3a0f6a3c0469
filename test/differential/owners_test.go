package differential

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	planekind "github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

var forests = flag.Int("forests", 4, "number of sets of objects with owners that are compared")

const (
	objectsInForest   = 16
	deletionsInForest = 5
)

// absentUID is the UID of no object.
const absentUID = "11111111-2222-3333-4444-555555555555"

// ownedKinds are built-in and custom, with namespaces and without.
var ownedKinds = []string{"configmaps", "secrets", "bucketclaims", "buckets", "clusterroles"}

// TestProgramsOwners creates objects with drawn owners, deletes some of them, and compares the
// objects that the controllers of both control planes leave: references to another namespace, to another kind, to a
// version that is not served, with a wrong name or UID, and of every scope.
func TestProgramsOwners(t *testing.T) {
	d := newDifferential(t, withControllers)
	for n := range *forests {
		f := newForest(t, d, n)
		f.plant()
		f.expectSame()
		for _, i := range f.random.Perm(objectsInForest)[:deletionsInForest] {
			f.cut(f.trees[i])
			f.expectSame()
		}
		t.Logf("%s: %d of %d objects are left", f.namespaces[0], f.left, objectsInForest)
	}
}

// forest is a set of objects in two namespaces and in none.
type forest struct {
	*testing.T
	*differential

	random     *rand.Rand
	kinds      []*kind
	namespaces [2]string
	trees      []*tree
	sentinels  int
	// policies are of the deletions. What a deletion in the foreground leaves depends on the order of
	// events if finalizers keep other objects, so a forest has one or the other.
	policies    []string
	isFinalized bool
	cuts        []string // descriptions
	left        int
}

// tree is an object, on both servers.
type tree struct {
	kind                  *kind
	namespace, name, path string
	uids                  [2]string
	references            []*tree
	owners                []string // descriptions of the references
	isWrong               bool     // one of them is
}

func (tr *tree) String() string {
	return fmt.Sprintf("%s %s in %q, owned by %v", tr.kind.Kind, tr.name, tr.namespace, tr.owners)
}

func newForest(t *testing.T, d *differential, n int) *forest {
	t.Helper()
	f := &forest{
		T: t, differential: d, random: rand.New(rand.NewPCG(*seed, uint64(n))), //nolint:gosec // not a secret
		namespaces: [2]string{fmt.Sprintf("forest%d-here", n), fmt.Sprintf("forest%d-elsewhere", n)},
		policies:   []string{"Foreground", "Background", "Orphan"},
	}
	if f.isFinalized = n%2 == 1; f.isFinalized {
		f.policies = f.policies[1:]
	}
	for _, resource := range ownedKinds {
		f.kinds = append(f.kinds, d.kinds[slices.IndexFunc(d.kinds, func(k *kind) bool { return k.Resource == resource })])
	}
	for _, name := range f.namespaces {
		d.make(t, "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	}
	return f
}

// String describes the forest, so that it can be planted by hand.
func (f *forest) String() string {
	var lines []string
	for _, tr := range f.trees {
		lines = append(lines, tr.String())
	}
	return strings.Join(append(lines, f.cuts...), "\n")
}

// plant creates the objects. Each may be owned by earlier ones.
func (f *forest) plant() {
	f.Helper()
	for i := range objectsInForest {
		tr := f.tree(pick(f.random, f.kinds), pick(f.random, f.namespaces[:]), fmt.Sprintf("%s-%d", f.namespaces[0], i))
		var refs [2][]any
		for range f.random.IntN(3) {
			f.addReference(tr, &refs)
		}
		f.create(tr, refs, f.isFinalized && f.random.IntN(3) == 0)
		f.trees = append(f.trees, tr)
	}
}

func (f *forest) tree(k *kind, namespace, name string) *tree {
	if !k.Namespaced {
		namespace = ""
	}
	return &tree{kind: k, namespace: namespace, name: name, path: k.path(namespace) + "/" + name}
}

// addReference adds a reference to an earlier object, which may be wrong. An object with a wrong
// reference owns none: it may be collected before they exist, or after.
func (f *forest) addReference(tr *tree, refs *[2][]any) {
	owners := slices.DeleteFunc(slices.Clone(f.trees), func(tr *tree) bool { return tr.isWrong })
	if len(owners) == 0 {
		return
	}
	owner := pick(f.random, owners)
	if slices.Contains(tr.references, owner) {
		return
	}
	tr.references = append(tr.references, owner)
	wrong, blocks := f.random.IntN(12), f.random.IntN(2) == 0
	tr.isWrong = tr.isWrong || wrong < 4 || owner.kind.Namespaced && owner.namespace != tr.namespace
	for i := range refs {
		ref := map[string]any{
			"apiVersion": owner.kind.apiVersion(), "kind": owner.kind.Kind, "name": owner.name, "uid": owner.uids[i],
			"blockOwnerDeletion": blocks,
		}
		switch wrong {
		case 0:
			ref["uid"] = absentUID
		case 1:
			ref["name"] = "absent"
		case 2:
			ref["apiVersion"] = "objectstorage.k8s.io/v9"
		case 3:
			ref["kind"], ref["apiVersion"] = "ConfigMap", "v1"
		}
		refs[i] = append(refs[i], ref)
	}
	ref, _ := refs[0][len(refs[0])-1].(map[string]any)
	tr.owners = append(tr.owners, fmt.Sprintf("%s as %v %v %v %v", owner.name, ref["apiVersion"], ref["kind"], ref["name"], ref["uid"]))
}

func (f *forest) create(tr *tree, refs [2][]any, isFinalized bool) {
	f.Helper()
	for i, s := range f.servers {
		object := tr.kind.object(0, tr.namespace, tr.name)
		metadata, _ := object["metadata"].(map[string]any)
		if metadata["ownerReferences"] = refs[i]; len(refs[i]) == 0 {
			delete(metadata, "ownerReferences")
		}
		if isFinalized {
			metadata["finalizers"] = []string{"cosi.example/test"}
		}
		r := request{
			Method: http.MethodPost, Path: tr.kind.path(tr.namespace), Object: tr.path, ContentType: "application/json", Body: text(object),
		}
		answer, err := s.do(f.Context(), r)
		if err != nil || answer.Code != http.StatusCreated {
			f.Fatalf("server %d: %s: %v %v", i, r, answer, err)
		}
		tr.uids[i] = s.known[tr.path].uid
	}
}

// cut deletes an object.
func (f *forest) cut(tr *tree) {
	f.Helper()
	policy := pick(f.random, f.policies)
	f.cuts = append(f.cuts, fmt.Sprintf("delete %s, propagation %s", tr.name, policy))
	f.mustDo(f.T, request{
		Method: http.MethodDelete, Path: tr.path, ContentType: "application/json", Body: text(map[string]any{"propagationPolicy": policy}),
	})
}

// settle waits until the garbage collectors have collected objects of each kind that are newer than
// all others: until then they may not know these.
func (f *forest) settle() {
	f.Helper()
	f.sentinels++
	var all []*tree
	for _, k := range f.kinds {
		sentinel := f.tree(k, f.namespaces[0], fmt.Sprintf("%s-sentinel-%d", f.namespaces[0], f.sentinels))
		owner := map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": "absent", "uid": absentUID}
		f.create(sentinel, [2][]any{{owner}, {owner}}, false)
		all = append(all, sentinel)
	}
	for _, sentinel := range all {
		f.await(f.T, "the collection of "+sentinel.path, request{Method: http.MethodGet, Path: sentinel.path},
			func(r response) bool { return r.Code == http.StatusNotFound })
	}
}

// expectSame waits until both servers have settled, and have the same objects, with the same metadata, and the same
// reports about wrong references.
func (f *forest) expectSame() {
	f.Helper()
	f.settle()
	var states [2]map[string]any
	var differ error
	harness.Eventually(f.T, "the same objects", func(ctx context.Context) error {
		for i, s := range f.servers {
			var err error
			if states[i], err = f.state(ctx, i, s); err != nil {
				return errors.Join(err, differ)
			}
		}
		differ = nil
		if diff := cmp.Diff(states[0], states[1]); diff != "" {
			differ = fmt.Errorf("seed %d, forest %s: -%s +%s\n%s", *seed, f, planekind.Envtest, planekind.Embedded, diff)
		}
		return differ
	})
	f.left = len(states[0]) - 1 // without the reports
}

// state returns the objects that are left, and the names of objects whose only reference was reported
// because it is to another namespace. Of several wrong references, those are reported whose owners
// the controller happens to know.
func (f *forest) state(ctx context.Context, i int, s *server) (map[string]any, error) {
	state := map[string]any{}
	names := map[string]string{absentUID: "absent"}
	for _, tr := range f.trees {
		names[tr.uids[i]] = tr.name
	}
	for _, tr := range f.trees {
		answer, err := s.do(ctx, request{Method: http.MethodGet, Path: tr.path})
		if err != nil {
			return nil, err
		}
		if answer.Code == http.StatusNotFound {
			continue
		}
		object, _ := answer.Body.(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		var owners []string
		refs, _ := metadata["ownerReferences"].([]any)
		for _, ref := range refs {
			uid, _ := ref.(map[string]any)["uid"].(string)
			owners = append(owners, names[uid])
		}
		_, isDeleting := metadata["deletionTimestamp"]
		state[tr.name] = map[string]any{"owners": owners, "isDeleting": isDeleting, "finalizers": metadata["finalizers"]}
	}
	reported, err := f.reported(ctx, s)
	state["reported"] = reported
	return state, err
}

func (f *forest) reported(ctx context.Context, s *server) ([]string, error) {
	reported := map[string]bool{}
	for _, namespace := range append(f.namespaces[:], "default") {
		answer, err := s.do(ctx, request{Method: http.MethodGet, Path: "/api/v1/namespaces/" + namespace + "/events"})
		if err != nil {
			return nil, err
		}
		list, _ := answer.Body.(map[string]any)
		items, _ := list["items"].([]any)
		for _, item := range items {
			event, _ := item.(map[string]any)
			object, _ := event["involvedObject"].(map[string]any)
			name, _ := object["name"].(string)
			isAlone := slices.ContainsFunc(f.trees, func(tr *tree) bool { return tr.name == name && len(tr.references) == 1 })
			if isAlone && event["reason"] == "OwnerRefInvalidNamespace" {
				reported[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(reported)), nil
}
