package v1alpha2_test

import (
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Design: P20-LABEL
func TestSetDriverLabel(t *testing.T) {
	others := map[string]string{"team": "a"}
	tests := []struct {
		name, reason, driver string
		// want is empty for no label.
		want string
	}{
		{"domain name", "it is a valid label value", "s3.example.com", "s3.example.com"},
		{"letter case", "a selector with the driver's name must find it", "S3.Example.COM", "s3.example.com"},
		{"longest", "names and label values have the same limit", strings.Repeat("a", 63), strings.Repeat("a", 63)},
		{"too long", "no driver has such a name", strings.Repeat("a", 64), ""},
		{"other characters", "no driver has such a name", "s3/example", ""},
		{"empty", "an empty value would select the Buckets of no driver", "", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			bucket := &metav1.ObjectMeta{Labels: maps.Clone(others)}
			v1alpha2.SetDriverLabel(bucket, tc.driver)
			got, labelled := bucket.Labels[v1alpha2.DriverLabel]
			if got != tc.want || labelled != (tc.want != "") || bucket.Labels["team"] != "a" {
				t.Errorf("%s: labels %v, want %q", tc.reason, bucket.Labels, tc.want)
			}
		})
	}
}
