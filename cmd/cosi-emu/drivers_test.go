package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// listedDriver has the fields of the output that the test reads.
type listedDriver struct {
	Name      string   `json:"name"`
	Health    string   `json:"health"`
	Protocols []string `json:"protocols"`
	Group     string   `json:"group"`
	Classes   []string `json:"classes"`
}

// TestStatusDrivers lists the driver of an emulator, and one that only a class names; and both as drivers of a cluster.
func TestStatusDrivers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--control-plane", "embedded", "--leader-elect")
	c := connect(t, info.Kubeconfig)
	lost := &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}}
	lost.Spec.DriverName, lost.Spec.DeletionPolicy = "lost.example.com", v1alpha2.DeletionPolicyRetain
	if err := c.client.Create(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	classes := []string{
		"BucketAccessClass/multi-bucket", "BucketAccessClass/standard", "BucketClass/standard", "BucketClass/standard-retain",
	}
	for name, tc := range map[string]struct {
		args   []string
		health string
	}{
		"Emulator": {nil, "Serving"},
		"Cluster":  {[]string{"--kubeconfig", info.Kubeconfig}, "Unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var report struct {
				Drivers []listedDriver `json:"drivers"`
			}
			if err := json.Unmarshal([]byte(h.must(append([]string{"status", "--drivers", "-o", "json"}, tc.args...)...)), &report); err != nil {
				t.Fatal(err)
			}
			want := []listedDriver{
				{Name: info.DriverName, Health: tc.health, Protocols: []string{"S3"}, Group: "cosi-emu", Classes: classes},
				{Name: "lost.example.com", Health: "Unknown", Classes: []string{"BucketClass/gold"}},
			}
			if diff := cmp.Diff(want, report.Drivers); diff != "" {
				t.Errorf("drivers (-want +got):\n%s", diff)
			}
		})
	}
	text := h.must("status", "--drivers")
	for _, part := range []string{"DRIVER", "No known sidecar serves driver lost.example.com"} {
		if !strings.Contains(text, part) {
			t.Errorf("the text has no %q:\n%s", part, text)
		}
	}
}

// TestStatusDriversRejects rejects flags that contradict each other.
func TestStatusDriversRejects(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for want, args := range map[string][]string{
		"require --drivers":  {"status", "--context", "production"},
		"exclude each other": {"status", "--drivers", "--context", "production", "--name", "mine"},
	} {
		if r := h.run(args...); r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%v: exit code %d, %s; want 2 and %q", args, r.code, r.err, want)
		}
	}
}
