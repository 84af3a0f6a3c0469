package controlplane

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// TestWaitWatchable waits for kinds that the API server does not serve yet, or cannot watch yet.
// Any other answer is an error.
func TestWaitWatchable(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		answers []int
		fails   bool
	}{
		"Served":    {"There is nothing to wait for.", []int{200}, false},
		"NotServed": {"Its definition is established, and the handler has not heard of it.", []int{404, 404, 200}, false},
		"NoCache":   {"The watch cache is empty.", []int{429, 200}, false},
		"Both":      {"One after the other.", []int{404, 429, 200}, false},
		"Forbidden": {"Waiting does not change it.", []int{403}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path+"?watch="+r.URL.Query().Get("watch"))
				w.WriteHeader(tc.answers[len(asked)-1])
			}))
			defer server.Close()
			client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			kind := &apiextensionsv1.CustomResourceDefinition{}
			kind.Spec.Group, kind.Spec.Names.Plural = "example.com", "photos"
			kind.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true}, {Name: "v0"}}
			err = waitWatchable(t.Context(), client.RESTClient(), []*apiextensionsv1.CustomResourceDefinition{kind})
			if (err != nil) != tc.fails {
				t.Errorf("%s\n%v", tc.reason, err)
			}
			want := make([]string, len(tc.answers))
			for i := range want {
				want[i] = "/apis/example.com/v1/photos?watch=true"
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}
