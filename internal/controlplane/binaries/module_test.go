package binaries

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const moduleDir = "../../../hack/controlplane"

func TestEmbeddedModuleIsCurrent(t *testing.T) {
	for name, embedded := range kubernetesModule().files {
		original, err := os.ReadFile(filepath.Join(moduleDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(original, embedded) {
			t.Errorf("the copy of %s is not like the original: run go generate in this directory", name)
		}
	}
}

func TestModulePinsOneKubernetes(t *testing.T) {
	versions := regexp.MustCompile(`(?m)^\t(k8s\.io/\S+) (v[0-9.]+) // indirect$`).FindAllSubmatch(goMod, -1)
	staging := 0
	for _, match := range versions {
		path, version := string(match[1]), string(match[2])
		switch {
		case path == "k8s.io/kubernetes":
			if version != KubernetesVersion {
				t.Errorf("KubernetesVersion is %s, the module builds %s", KubernetesVersion, version)
			}
		case strings.HasPrefix(version, "v0."):
			staging++
			if want := "v0" + strings.TrimPrefix(KubernetesVersion, "v1"); version != want {
				t.Errorf("%s is at %s, want %s like the rest of Kubernetes", path, version, want)
			}
		}
	}
	if staging == 0 {
		t.Error("no staging module was found in go.mod")
	}
}

func TestModuleNamesItsTargets(t *testing.T) {
	for _, target := range kubernetesModule().targets {
		if !bytes.Contains(goMod, []byte("\t"+target.pkg+"\n")) {
			t.Errorf("%s is not a tool in go.mod, so that go mod tidy would drop what it needs", target.pkg)
		}
	}
}

func TestLDFlags(t *testing.T) {
	got := strings.Fields(ldflags("v1.37.0"))
	want := strings.Fields(`-s -w
		-X k8s.io/client-go/pkg/version.gitVersion=v1.37.0
		-X k8s.io/client-go/pkg/version.gitMajor=1
		-X k8s.io/client-go/pkg/version.gitMinor=37
		-X k8s.io/client-go/pkg/version.gitTreeState=archive
		-X k8s.io/component-base/version.gitVersion=v1.37.0
		-X k8s.io/component-base/version.gitMajor=1
		-X k8s.io/component-base/version.gitMinor=37
		-X k8s.io/component-base/version.gitTreeState=archive`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
