package main_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStaticDriver runs the static driver as a process, and an application with the manifests of example --static. Without the flag for the
// Secret, the error names the flag.
func TestStaticDriver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	endpoint := "unix://" + filepath.Join(h.dir, "static.sock")
	driver := h.command(t.Context(), "static-driver", "--endpoint", endpoint)
	driver.Stderr = t.Output()
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	recipe := h.write("recipe.yaml", h.must("example", "--static"))
	run := []string{"exec", "--driver", endpoint, "--apply", recipe, "--access", "default/archive"}
	script := []string{"--", "sh", "-c", "echo $BUCKET_NAME $AWS_ENDPOINT_URL $AWS_SECRET_ACCESS_KEY"}
	got := h.must(append(append(run, "--secret-parameters-from", "cosi-system"), script...)...)
	if want := "archive-2019 https://s3.example.com the-secret-access-key\n"; got != want {
		t.Errorf("the command prints %q, want %q", got, want)
	}
	if r := h.run(append(run, script...)...); r.code == 0 || !strings.Contains(r.err, "--secret-parameters-from=cosi-system") {
		t.Errorf("without the flag: exit code %d, %s", r.code, r.err)
	}
	if err := driver.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := driver.Wait(); err != nil {
		t.Errorf("the end of the driver: %v", err)
	}
}
