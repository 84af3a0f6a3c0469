package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

// TestSockets verifies that containers that call each other agree on a socket whose name ends in
// .sock, in a directory that both have and that no other container has.
// Design: CK-DEPLOY-1, CSI-NAMESPACES-1, CSI-SOCK-4
func TestSockets(t *testing.T) {
	templates := deploytest.PodTemplates(t, slices.Concat(deploytest.Build(t, "example-driver"), deploytest.Build(t, "bridge")))
	for name, tc := range map[string]struct {
		deployment      string
		server, serves  string
		client, connect string
	}{
		"FakeDriver": {"cosi-fake-driver", "driver", "--endpoint", "sidecar", "--endpoint"},
		// Spec: A1-CONFIG-1
		"OldDriver": {"cosi-old-driver", "driver", "COSI_ENDPOINT", "sidecar", "--endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			containers := templates[tc.deployment].Spec.Containers
			server, client := container(t, containers, tc.server), container(t, containers, tc.client)
			socket := setting(server, tc.serves)
			if !strings.HasPrefix(socket, "unix:///") || !strings.HasSuffix(socket, ".sock") {
				t.Errorf("%s listens on %q, want unix:///path.sock", tc.server, socket)
			}
			if got := setting(client, tc.connect); got != socket {
				t.Errorf("%s connects to %q, and %s listens on %q", tc.client, got, tc.server, socket)
			}
			var mounted []string
			for _, c := range containers {
				at := slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return strings.HasPrefix(socket, "unix://"+m.MountPath+"/") })
				if at >= 0 {
					mounted = append(mounted, c.Name)
					checkSmall(t, templates[tc.deployment].Spec.Volumes, c.VolumeMounts[at].Name)
				}
			}
			want := []string{tc.server, tc.client}
			slices.Sort(want)
			slices.Sort(mounted)
			if diff := cmp.Diff(want, mounted); diff != "" {
				t.Errorf("containers with the directory of the socket (-want +got):\n%s", diff)
			}
		})
	}
}

// checkSmall verifies that a volume is an emptyDir in which a container cannot store much beside the socket.
func checkSmall(t *testing.T, volumes []corev1.Volume, name string) {
	t.Helper()
	at := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == name })
	if at < 0 || volumes[at].EmptyDir == nil || volumes[at].EmptyDir.SizeLimit == nil {
		t.Errorf("volume %s is no emptyDir with a limit of its size", name)
	}
}

// TestOwnFiles verifies that a driver in a container can write only its socket and its data, and
// sees no file of its node.
// Spec: A1-LIFE-2
// Design: CSI-CONFIG-3, CK-WHY-4
func TestOwnFiles(t *testing.T) {
	templates := deploytest.PodTemplates(t, slices.Concat(deploytest.Build(t, "example-driver"), deploytest.Build(t, "bridge")))
	for name, template := range templates {
		for _, volume := range template.Spec.Volumes {
			if volume.HostPath != nil {
				t.Errorf("%s: volume %s is the directory %s of the node", name, volume.Name, volume.HostPath.Path)
			}
		}
		driver := container(t, template.Spec.Containers, "driver")
		if readOnly := driver.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
			t.Errorf("%s: the driver can write log files", name)
		}
	}
}

// TestResources verifies that no container can take the memory of its node, and that the scheduler knows its demand.
// Design: CSI-CGROUPS-1
func TestResources(t *testing.T) {
	for _, dir := range []string{".", "example-driver", "bridge", "v1alpha1/example-driver", "node", "explore"} {
		for name, template := range deploytest.PodTemplates(t, deploytest.Build(t, dir)) {
			for _, c := range template.Spec.Containers {
				resources := c.Resources
				if resources.Requests.Cpu().IsZero() || resources.Requests.Memory().IsZero() || resources.Limits.Memory().IsZero() {
					t.Errorf("%s: container %s of %s has the resources %v, want requests for both and a limit of memory", dir, c.Name, name, resources)
				}
			}
		}
	}
}

func container(t *testing.T, among []corev1.Container, name string) corev1.Container {
	t.Helper()
	at := slices.IndexFunc(among, func(c corev1.Container) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("there is no container %s", name)
	}
	return among[at]
}

func setting(of corev1.Container, name string) string {
	for _, argument := range of.Args {
		if value, found := strings.CutPrefix(argument, name+"="); found {
			return value
		}
	}
	for _, variable := range of.Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}
