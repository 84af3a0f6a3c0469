package v1alpha2_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestParseVolumeUser(t *testing.T) {
	for name, value := range map[string]string{
		"Empty": "", "NoNode": "/pod/uid", "NoPod": "node//uid", "NoUID": "node/pod/", "Short": "node/pod", "Long": "node/pod/uid/more",
	} {
		t.Run(name, func(t *testing.T) {
			if user, err := v1alpha2.ParseVolumeUser(value); !errors.Is(err, v1alpha2.ErrVolumeUser) {
				t.Errorf("ParseVolumeUser(%q) = %+v, %v; want ErrVolumeUser", value, user, err)
			}
		})
	}
	want := v1alpha2.VolumeUser{Node: "node-1", Pod: "app-0", PodUID: "uid"}
	got, err := v1alpha2.ParseVolumeUser(want.String())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ParseVolumeUser: %v (-want +got):\n%s", err, diff)
	}
}

// TestPodsWithVolumes: a Pod with two volumes is listed once, and a value that a user has broken still protects.
func TestPodsWithVolumes(t *testing.T) {
	access := &v1alpha2.BucketAccess{}
	if pods := v1alpha2.PodsWithVolumes(access); len(pods) > 0 {
		t.Errorf("without annotations: %v", pods)
	}
	access.Annotations = map[string]string{
		v1alpha2.VolumeAnnotationPrefix + "1": "node/web/uid-1",
		v1alpha2.VolumeAnnotationPrefix + "2": "node/web/uid-1",
		v1alpha2.VolumeAnnotationPrefix + "3": "node/app/uid-2",
		v1alpha2.VolumeAnnotationPrefix + "4": "broken",
		"example.com/other":                   "node/other/uid-3",
	}
	if diff := cmp.Diff([]string{"app", "broken", "web"}, v1alpha2.PodsWithVolumes(access)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
