package watched_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		names  []string
		want   string
	}{
		"none":      {"all namespaces are served", nil, ""},
		"one":       {"it is a namespace", []string{"team-a"}, ""},
		"two":       {"both are namespaces", []string{"team-b", "team-a"}, ""},
		"empty":     {"it would be all namespaces in a list of the API", []string{"team-a", ""}, `the watched namespace "" is invalid: `},
		"capitals":  {"no namespace has such a name", []string{"Team-A"}, `the watched namespace "Team-A" is invalid: `},
		"dots":      {"a namespace is a label, and no domain", []string{"team.a"}, `the watched namespace "team.a" is invalid: `},
		"all":       {"a pattern is no namespace", []string{"*"}, `the watched namespace "*" is invalid: `},
		"duplicate": {"it may be a spelling mistake", []string{"a", "b", "a"}, `the watched namespace "a" is listed twice: list it once`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := watched.Validate(tc.names); err != nil {
				got = err.Error()
			}
			if tc.want == "" && got != "" || len(got) < len(tc.want) || got[:len(tc.want)] != tc.want {
				t.Errorf("%s: error %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestValidateReportsAll verifies that a user can correct all names at once.
func TestValidateReportsAll(t *testing.T) {
	t.Parallel()
	err := watched.Validate([]string{"A", "b", "b"})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 2 {
		t.Errorf("the error is %v, want one for A and one for b", err)
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	given := []string{"team-b", "team-a"}
	for name, tc := range map[string]struct {
		names  []string
		serves map[string]bool
		all    bool
		want   []string
		text   string
		lists  []client.InNamespace
	}{
		"all": {
			nil, map[string]bool{"team-a": true, "": true}, true, nil, "all namespaces", []client.InNamespace{""},
		},
		"some": {
			given, map[string]bool{"team-a": true, "team-b": true, "team": false, "team-c": false, "": false}, false,
			[]string{"team-a", "team-b"}, "team-a, team-b", []client.InNamespace{"team-a", "team-b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := watched.New(tc.names)
			for namespace, want := range tc.serves {
				if got := n.Has(namespace); got != want {
					t.Errorf("Has(%q) is %t, want %t", namespace, got, want)
				}
				want = want || namespace == ""
				if got := n.HasClaim(&corev1.ObjectReference{Namespace: namespace}); got != want {
					t.Errorf("HasClaim of %q is %t, want %t", namespace, got, want)
				}
			}
			if !n.HasClaim(nil) {
				t.Error("a Bucket without a claim is not served")
			}
			if n.All() != tc.all || !slices.Equal(n.Names(), tc.want) || n.String() != tc.text || !slices.Equal(n.Lists(), tc.lists) {
				t.Errorf("All %t, Names %v, String %q, Lists %v; want %t, %v, %q, %v",
					n.All(), n.Names(), n.String(), n.Lists(), tc.all, tc.want, tc.text, tc.lists)
			}
		})
	}
	if given[0] != "team-b" {
		t.Error("New has sorted the slice of its caller")
	}
}

// TestLimit verifies that the cache's other options stay.
func TestLimit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		names []string
		want  map[string]cache.Config
	}{
		"all":  {nil, nil},
		"some": {[]string{"b", "a"}, map[string]cache.Config{"a": {}, "b": {}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets := &corev1.Secret{}
			options := cache.Options{ByObject: map[client.Object]cache.ByObject{secrets: {}}}
			watched.New(tc.names).Limit(&options)
			if diff := cmp.Diff(tc.want, options.DefaultNamespaces); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if _, kept := options.ByObject[secrets]; !kept {
				t.Error("the options of Secrets are lost")
			}
		})
	}
}
