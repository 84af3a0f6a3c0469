package realcluster

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// KindVariable is the environment variable with the name of a cluster of kind, in which the tests then run.
const KindVariable = "COSI_EMU_TEST_KIND"

// InKind reports whether the tests run in a cluster of kind, whose nodes and certificates are not theirs.
func InKind() bool { return os.Getenv(KindVariable) != "" }

// startKind connects to a cluster of kind, and imports the images.
func startKind(tb testing.TB, cluster string) *Cluster {
	tb.Helper()
	p, err := findBuilt(tools())
	if err != nil {
		tb.Fatal(err)
	}
	c := &Cluster{programs: p, dir: tb.TempDir()}
	if c.Config, err = clientcmd.RESTConfigFromKubeConfig([]byte(kind(tb, "get", "kubeconfig", "--name", cluster))); err != nil {
		tb.Fatal(err)
	}
	c.Config.QPS = -1
	if c.Clientset, err = kubernetes.NewForConfig(c.Config); err != nil {
		tb.Fatal(err)
	}
	if c.Client, err = client.New(c.Config, client.Options{}); err != nil {
		tb.Fatal(err)
	}
	for name := range strings.FieldsSeq(kind(tb, "get", "nodes", "--name", cluster)) {
		c.Nodes = append(c.Nodes, &Node{Name: name, ctrCommand: []string{"docker", "exec", "-i", name, "ctr"}})
	}
	c.importImages(tb)
	return c
}

// kind runs a command of kind, and returns its output.
func kind(tb testing.TB, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(harness.Context(tb), "kind", args...) //nolint:gosec // the name of the user's cluster
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("kind %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
