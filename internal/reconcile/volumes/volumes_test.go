package volumes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestManyPods: the message has a limit, because it is copied to every Event.
func TestManyPods(t *testing.T) {
	access := &v1alpha2.BucketAccess{}
	access.Annotations = map[string]string{}
	for i := range 13 {
		access.Annotations[fmt.Sprintf("%s%d", v1alpha2.VolumeAnnotationPrefix, i)] = fmt.Sprintf("node/pod-%02d/uid-%d", i, i)
	}
	err := CheckUnused(access)
	if err == nil || !strings.HasSuffix(err.Error(), "pod-08, pod-09 and 3 more") {
		t.Errorf("the error is %v", err)
	}
}

func TestChanged(t *testing.T) {
	used := func(values ...string) *v1alpha2.BucketAccess {
		access := &v1alpha2.BucketAccess{}
		access.Annotations = map[string]string{"example.com/other": strings.Join(values, "")}
		for i, value := range values {
			access.Annotations[fmt.Sprintf("%s%d", v1alpha2.VolumeAnnotationPrefix, i)] = value
		}
		return access
	}
	for name, tc := range map[string]struct {
		before, after *v1alpha2.BucketAccess
		want          bool
	}{
		"None":      {used(), used(), false},
		"First":     {used(), used("node/a/1"), true},
		"Last":      {used("node/a/1"), used(), true},
		"Other":     {used("node/a/1"), used("node/b/2"), true},
		"SecondOf":  {used("node/a/1"), used("node/a/1", "node/a/1"), false},
		"Unchanged": {used("node/a/1"), used("node/a/1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Changed(tc.before, tc.after); got != tc.want {
				t.Errorf("Changed = %t, want %t", got, tc.want)
			}
		})
	}
}
