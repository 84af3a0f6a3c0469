package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// childScene is what a process that kills itself needs of a scene.
type childScene struct {
	Host      string            `json:"host"`
	CA        []byte            `json:"ca"`
	Cert      []byte            `json:"cert"`
	Key       []byte            `json:"key"`
	StateDir  string            `json:"stateDir"`
	Target    string            `json:"target"`
	VolumeID  string            `json:"volumeID"`
	Token     string            `json:"token"`
	Namespace string            `json:"namespace"`
	PodUID    string            `json:"podUID"`
	At        int               `json:"at"`
	Medium    volume.MediumKind `json:"medium"`
}

const childFile = "scene.json"

// TestKill kills a process with the adapter at each of its operations, as kill -9 does. Another instance finishes what
// was begun, and nothing is left.
func TestKill(t *testing.T) {
	count := &faults{}
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	s.Must(story(s, count.instance(s)))
	for at := 1; at <= count.seen; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			s.options.Medium = volume.DefaultMedium()
			s.hasAll()
			dir := t.TempDir()
			s.writeChild(filepath.Join(dir, childFile), at)
			child := harness.StartChild(t, "TestKillChild", dir)
			for child.Lines.Scan() {
				t.Errorf("the process was not killed: it printed %q", child.Lines.Text())
			}
			child.Wait()
			s.hasSecret("photos", "key-2")
			s.expectRecovery()
		})
	}
}

func (s *scene) writeChild(file string, at int) {
	s.Helper()
	text, err := json.Marshal(childScene{
		Host: s.config.Host, CA: s.config.CAData, Cert: s.config.CertData, Key: s.config.KeyData, StateDir: s.options.StateDir,
		Target: s.target, VolumeID: s.volumeID, Token: s.token, Namespace: s.Namespace, PodUID: string(s.pod.UID), At: at,
		Medium: s.options.Medium,
	})
	s.Must(err)
	s.Must(os.WriteFile(file, text, 0o600))
}

// TestKillChild is the process of TestKill.
func TestKillChild(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(harness.ChildDir(t), childFile))
	var c childScene
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	harness.Tell(t, "ready")
	s := &scene{
		Cluster: &cluster.Cluster{TB: t, Namespace: c.Namespace},
		options: Options{StateDir: c.StateDir, NodeName: nodeName, Medium: c.Medium}.withDefaults(),
		config:  &rest.Config{Host: c.Host, TLSClientConfig: rest.TLSClientConfig{CAData: c.CA, CertData: c.Cert, KeyData: c.Key}},
		pod:     &corev1.Pod{}, token: c.Token, volumeID: c.VolumeID, target: c.Target,
	}
	s.pod.Name, s.pod.UID = "web", types.UID(c.PodUID)
	node := (&faults{at: c.At, effect: crashes, crash: func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		t.Error(err)
		select {} // the signal arrives at any moment
	}}).instance(s)
	for range 2 {
		_ = s.publish(node)
	}
	_ = s.unpublish(node)
	t.Error("the process has not been killed")
}
