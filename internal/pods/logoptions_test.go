package pods

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// TestLogOptions reads the queries that clients and API servers send.
func TestLogOptions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*corev1.PodLogOptions{
		"None": {},
		"All": {
			Follow: true, Previous: true, Timestamps: true, TailLines: new(int64(0)), LimitBytes: new(int64(3)), SinceSeconds: new(int64(9)),
		},
		"Since": {SinceTime: &metav1.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, err := clientgoscheme.ParameterCodec.EncodeParameters(want, corev1.SchemeGroupVersion)
			if err != nil {
				t.Fatal(err)
			}
			got, err := logOptions(query)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("error %v; options (-want +got):\n%s", err, diff)
			}
		})
	}
	for _, query := range []string{"follow=2", "tailLines=-1", "limitBytes=x", "sinceTime=now"} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := logOptions(values); err == nil {
			t.Errorf("%s is accepted", query)
		}
	}
}
