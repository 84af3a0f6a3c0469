package node

import (
	"maps"
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// TestUnpublishWithoutAPIServer: a Pod can end while the API server is down. The mark is removed later.
func TestUnpublishWithoutAPIServer(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	node := s.service()
	s.Must(s.publish(node))
	s.Requests.Reject(http.MethodPatch, "photos-rw")
	s.Must(s.unpublish(node))
	s.expectUsed()
	if err := node.sweep(t.Context()); err == nil {
		t.Error("the sweep had no error")
	}
	s.Requests.Intercept(nil)
	s.Must(node.sweep(t.Context()))
	s.expectNothingLeft()
}

// annotate adds the mark of a volume.
func annotate(access client.Object, volume string, user v1alpha2.VolumeUser) {
	annotations := maps.Clone(access.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha2.VolumeAnnotationPrefix+volume] = user.String()
	access.SetAnnotations(annotations)
}

// TestSweepKeeps: volumes of Pods that exist, and marks of other nodes, stay.
func TestSweepKeeps(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	access := s.hasAll()
	node := s.service()
	s.Must(s.publish(node))
	foreign := v1alpha2.VolumeUser{Node: "node-2", Pod: s.pod.Name, PodUID: s.pod.UID}
	s.Modify(access, func() {
		annotate(access, "foreign", foreign)
	})
	s.Must(s.Delete(t.Context(), access))
	s.Must(node.sweep(t.Context()))
	if users := s.users(); len(users) != 2 {
		t.Errorf("the marks are %v, want 2", users)
	}
	if got := s.file("BUCKET_NAME"); got != "photos" {
		t.Errorf("the bucket is %q, want photos", got)
	}
}

// TestSweepReleases: marks without a volume, and marks of gone Pods on nodes that have gone, do not keep an access.
func TestSweepReleases(t *testing.T) {
	for name, tc := range map[string]struct {
		user     v1alpha2.VolumeUser
		deleting bool
		want     int
	}{
		"OwnWithoutRecord":    {user: v1alpha2.VolumeUser{Node: nodeName, Pod: "web", PodUID: "1"}},
		"Foreign":             {user: v1alpha2.VolumeUser{Node: "node-2", Pod: "gone", PodUID: "1"}, deleting: true},
		"ForeignCreatedAgain": {user: v1alpha2.VolumeUser{Node: "node-2", Pod: "web", PodUID: "1"}, deleting: true},
		"ForeignOfUsedAccess": {user: v1alpha2.VolumeUser{Node: "node-2", Pod: "gone", PodUID: "1"}, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			access := s.hasAll()
			s.Modify(access, func() {
				annotate(access, "1", tc.user)
			})
			if tc.deleting {
				s.Must(s.Delete(t.Context(), access))
			}
			s.Must(s.service().sweep(t.Context()))
			if users := s.users(); len(users) != tc.want {
				t.Errorf("the marks are %v, want %d", users, tc.want)
			}
		})
	}
}

// TestSweepRunsBesideCalls: the sweep leaves a volume alone while a call is in flight, and calls about one volume do not
// overlap.
// Design: CSI-ERR-9
func TestSweepRunsBesideCalls(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	node := s.service()
	s.Must(s.publish(node))
	end, err := node.busy.begin(volume.Key(s.volumeID))
	s.Must(err)
	s.Remove(s.pod)
	s.Must(node.sweep(t.Context()))
	if err := s.publish(node); status.Code(err) != codes.Aborted {
		t.Errorf("NodePublishVolume during another call: %v", err)
	}
	if err := s.unpublish(node); status.Code(err) != codes.Aborted {
		t.Errorf("NodeUnpublishVolume during another call: %v", err)
	}
	s.expectUsed()
	end()
	s.Must(node.sweep(t.Context()))
	s.expectNothingLeft()
}
