package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// TestUnpublishUnknown: a volume without a record is removed, but no files of others.
// Design: CSI-NODE-3
func TestUnpublishUnknown(t *testing.T) {
	tests := map[string]struct {
		given func(s *scene)
		code  codes.Code
	}{
		"Nothing": {given: func(*scene) {}},
		"Empty":   {given: func(s *scene) { s.Must(os.Mkdir(s.target, 0o700)) }},
		"LostRecord": {given: func(s *scene) {
			s.hasAll()
			s.Must(s.publish(s.service()))
			s.Must(os.RemoveAll(s.options.StateDir))
		}},
		"FilesOfOthers": {code: codes.Internal, given: func(s *scene) {
			s.Must(os.Mkdir(s.target, 0o700))
			s.Must(os.WriteFile(filepath.Join(s.target, "mine"), nil, 0o600))
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			tc.given(s)
			node := s.service()
			if err := s.unpublish(node); status.Code(err) != tc.code {
				t.Errorf("NodeUnpublishVolume: %v, want %s", err, tc.code)
			}
			if tc.code != codes.OK {
				return
			}
			s.Must(node.sweep(t.Context()))
			s.expectNothingLeft()
		})
	}
}

// TestOtherTarget: the ID of a volume belongs to one directory.
// Design: CSI-NODE-7
func TestOtherTarget(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	node := s.service()
	s.Must(s.publish(node))
	other := s.request()
	other.TargetPath += "-2"
	if _, err := node.NodePublishVolume(t.Context(), other); status.Code(err) != codes.AlreadyExists {
		t.Errorf("NodePublishVolume at another target: %v", err)
	}
	request := &csi.NodeUnpublishVolumeRequest{VolumeId: s.volumeID, TargetPath: other.GetTargetPath()}
	if _, err := node.NodeUnpublishVolume(t.Context(), request); err != nil {
		t.Errorf("NodeUnpublishVolume of another target: %v", err)
	}
	s.expectUsed()
	if got := s.file("BUCKET_NAME"); got != "photos" {
		t.Errorf("the bucket is %q, want photos", got)
	}
}

// TestMemory: the files are in a file system of their own, which ends with the volume.
func TestMemory(t *testing.T) {
	if volume.DefaultMedium() != volume.Memory {
		t.Skip("only root can mount file systems")
	}
	s := newScene(t, objectstorage.V1alpha2)
	s.options.Medium = volume.Memory
	s.hasAll()
	node := s.service()
	if err := s.publish(node); err != nil && strings.Contains(err.Error(), "operation not permitted") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	s.Must(s.publish(s.service()))
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	s.Must(err)
	if count := strings.Count(string(mounts), s.target); count != 1 {
		t.Errorf("%d file systems are mounted at the target, want 1", count)
	}
	s.expectUsed()
	s.Must(s.unpublish(s.service()))
	s.expectNothingLeft()
}
