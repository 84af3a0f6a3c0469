package datarecord

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	if empty, err := Read(dir); err != nil || !cmp.Equal(empty, Record{}) {
		t.Errorf("Read() of older data = %v, %v", empty, err)
	}
	want := Record{API: objectstorage.V1alpha2, DriverNames: []string{"a.test"}, Dialect: dialects.OneMode}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWithDriverNames(t *testing.T) {
	for name, tc := range map[string]struct {
		reason                string
		names, recorded, want []string
		rejected              bool
	}{
		"Older":    {"Older data have no record.", nil, nil, nil, false},
		"Default":  {"The default rejects unknown parameters, and names imply the opposite.", nil, []string{fakedriver.DefaultName}, nil, false},
		"Recorded": {"The objects need their driver.", nil, []string{"a.test"}, []string{"a.test"}, false},
		"More":     {"Others have no objects yet.", []string{"b.test", "a.test"}, []string{"a.test"}, []string{"b.test", "a.test"}, false},
		"Missing":  {"No driver would serve the objects.", []string{"b.test"}, []string{"a.test"}, []string{"b.test"}, true},
	} {
		got, err := WithDriverNames(tc.names, tc.recorded)
		if (err != nil) != tc.rejected {
			t.Errorf("%s: %s error %v", name, tc.reason, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s -want, +got:\n%s", name, tc.reason, diff)
		}
	}
}
