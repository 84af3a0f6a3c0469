package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/staticdriver"
)

func TestNextSteps(t *testing.T) {
	for api, example := range map[objectstorage.Version]string{"": "", objectstorage.V1alpha2: "", objectstorage.V1alpha1: " --api v1alpha1"} {
		info := instance.Info{Name: "mine", Info: emulator.Info{API: api, Kubeconfig: "/home/my user/kubeconfig"}}
		var text strings.Builder
		writeExample(&text, info)
		writeStop(&text, info, true)
		for _, want := range []string{
			" example" + example + " | kubectl --kubeconfig '/home/my user/kubeconfig' apply -f -\n", " down --name mine\n",
		} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the next steps for %q do not contain %q:\n%s", api, want, text.String())
			}
		}
	}
}

// TestNextStepsOfStaticDriver: the commands of an application would wait for a bucket that the static driver never creates.
func TestNextStepsOfStaticDriver(t *testing.T) {
	flags := pflag.NewFlagSet("up", pflag.ContinueOnError)
	flags.Bool("tls", false, "")
	flags.StringSlice("secret-parameters-from", nil, "")
	info := instance.Info{Info: emulator.Info{
		Kubeconfig: "k", DriverName: staticdriver.DefaultName, DriverVariables: map[string]string{"KUBECONFIG": "k"},
	}}
	for api, want := range map[objectstorage.Version]string{
		objectstorage.V1alpha2: " example --static > archive.yaml\n", objectstorage.V1alpha1: "docs/driver.md",
	} {
		var text strings.Builder
		info.API = api
		writeDriverVariables(&text, info)
		writeExample(&text, info)
		if !strings.Contains(text.String(), want) || strings.Contains(text.String(), "photos") || strings.Contains(text.String(), "export") {
			t.Errorf("%s: unexpected next steps of the static driver:\n%s", api, text.String())
		}
	}
	const flag = "--secret-parameters-from=cosi-system"
	if warnings := withFlagWarnings(flags, info).Warnings; len(warnings) != 1 || !strings.Contains(warnings[0], flag) {
		t.Errorf("without the namespace of the Secret: %q", warnings)
	}
	if err := flags.Set("secret-parameters-from", "mine"); err != nil {
		t.Fatal(err)
	}
	if warnings := withFlagWarnings(flags, info).Warnings; len(warnings) != 0 {
		t.Errorf("with the namespace of the Secret: %q", warnings)
	}
}

// TestDriverVariables: the variables for a driver that the user starts are printed, ready to copy.
// A driver that the emulator starts has them.
func TestDriverVariables(t *testing.T) {
	info := instance.Info{Info: emulator.Info{
		DriverVariables:      map[string]string{"KUBECONFIG": "/home/my user/kubeconfig", "KUBERNETES_SERVICE_HOST": "127.0.0.1"},
		DriverServiceAccount: "/home/my user/serviceaccount",
	}}
	var text strings.Builder
	writeDriverVariables(&text, info)
	for _, want := range []string{
		"  export KUBECONFIG='/home/my user/kubeconfig'\n  export KUBERNETES_SERVICE_HOST=127.0.0.1\n",
		"ln -s '/home/my user/serviceaccount' /var/run/secrets/kubernetes.io/serviceaccount\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("there is no %q in\n%s", want, text.String())
		}
	}
	text.Reset()
	info.Components = []emulator.ComponentInfo{{Name: emulator.ComponentDriver}}
	writeDriverVariables(&text, info)
	if text.Len() > 0 {
		t.Errorf("with a driver of the emulator's: %s", text.String())
	}
}

func TestAccessKey(t *testing.T) {
	for text, ok := range map[string]bool{"a/b": true, "a": false, "/b": false, "a/": false, "a/b/c": false, "/": false} {
		a := access{access: text}
		key, wanted, err := a.key()
		if (err == nil) != ok || wanted != ok {
			t.Errorf("--access %q: %v, %v, %v", text, key, wanted, err)
		}
		if ok && key.String() != text {
			t.Errorf("--access %q is read as %s", text, key)
		}
		if err != nil && !cli.IsUsage(err) {
			t.Errorf("--access %q: %v is not an error of usage", text, err)
		}
	}
	if _, wanted, err := (&access{}).key(); wanted || err != nil {
		t.Errorf("no --access: %v, %v", wanted, err)
	}
}

// TestWriteErrors: an error is one line, even if its message has several.
func TestWriteErrors(t *testing.T) {
	var text strings.Builder
	writeErrors(&text, nil)
	if text.Len() > 0 {
		t.Errorf("no errors are %q", text.String())
	}
	writeErrors(&text, []existingcluster.ObjectError{
		{Kind: "Bucket", Name: "bc-1", Message: "driver failed:\n\tno quota"},
		{Kind: "BucketClaim", Namespace: "demo", Name: "photos", Message: "no class"},
	})
	want := "\nErrors of objects:\n\n  KIND         NAME         ERROR\n" +
		"  Bucket       bc-1         driver failed: no quota\n  BucketClaim  demo/photos  no class\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
