package rights

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: own}\n"

// TestOf reads the manifest of an installation, of which only the rights count.
func TestOf(t *testing.T) {
	found, err := Of([]byte(account + "---\n" +
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: own}\n---\n" +
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: own}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, object := range found.Objects {
		kinds = append(kinds, object.GetKind()+" "+object.GetName())
	}
	if diff := cmp.Diff([]string{"Namespace own", "ServiceAccount a", "Role r"}, kinds); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
	if found.Account.String() != "own/a" {
		t.Errorf("the account is %s, want own/a", found.Account)
	}
}

func TestOfRejects(t *testing.T) {
	for name, tc := range map[string]struct{ reason, manifest string }{
		"None": {"The rights need a subject.", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"},
		"Two":  {"The component is one of them only.", account + "---\n" + account},
		"Text": {"It has no objects.", "{"},
	} {
		if _, err := Of([]byte(tc.manifest)); err == nil {
			t.Errorf("%s: %s There is no error.", name, tc.reason)
		}
	}
}
