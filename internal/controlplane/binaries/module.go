package binaries

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:generate cp ../../../hack/controlplane/go.mod module/go.mod.txt
//go:generate cp ../../../hack/controlplane/go.sum module/go.sum.txt

// The module with the versions of the control plane is embedded, because a module's zip file on the
// proxy has no nested modules. Otherwise a program that imports this package could not build the
// control plane.
var (
	//go:embed module/go.mod.txt
	goMod []byte
	//go:embed module/go.sum.txt
	goSum []byte
)

// module has the sources that the go command builds.
type module struct {
	version string
	files   map[string][]byte // by path in the module
	ldflags string
	targets []target
}

// target is a main package and the name of its program.
type target struct {
	program, pkg string
}

func kubernetesModule() module {
	return module{
		version: KubernetesVersion,
		files:   map[string][]byte{"go.mod": goMod, "go.sum": goSum},
		ldflags: ldflags(KubernetesVersion),
		targets: []target{
			{program: APIServer, pkg: "k8s.io/kubernetes/cmd/kube-apiserver"},
			{program: ControllerManager, pkg: "k8s.io/kubernetes/cmd/kube-controller-manager"},
			{program: Etcd, pkg: "go.etcd.io/etcd/server/v3"},
		},
	}
}

// ldflags strips the programs, and sets the version of the Kubernetes release.
func ldflags(version string) string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	flags := []string{"-s", "-w"}
	for _, pkg := range []string{"k8s.io/client-go/pkg/version", "k8s.io/component-base/version"} {
		flags = append(flags,
			fmt.Sprintf("-X %s.gitVersion=%s", pkg, version),
			fmt.Sprintf("-X %s.gitMajor=%s", pkg, major),
			fmt.Sprintf("-X %s.gitMinor=%s", pkg, minor),
			fmt.Sprintf("-X %s.gitTreeState=archive", pkg),
		)
	}
	return strings.Join(flags, " ")
}
