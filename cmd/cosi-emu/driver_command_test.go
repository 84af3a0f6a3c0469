package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// oldDriverCommand is the command line of a driver of v1alpha1 with typical defects, in the home.
func (h *home) oldDriverCommand(flags ...string) string {
	h.t.Helper()
	return strings.Join(append([]string{h.buildOldDriver(h.dir), "-state", "$(STATE_DIR)/state.json", "-keep-socket", "-fail-on-sigterm"},
		flags...), " ")
}

func (h *home) driverPID() int {
	h.t.Helper()
	var pid int
	harness.Eventually(h.t, "there is one process of the driver", func(context.Context) error {
		var found []string
		for _, process := range harness.Processes(h.t, h.dir+"/olddriver -state ") {
			if !strings.Contains(process, "--driver-cmd") {
				found = append(found, process)
			}
		}
		if len(found) != 1 {
			return fmt.Errorf("found %q", found)
		}
		var err error
		pid, err = strconv.Atoi(strings.Fields(found[0])[0])
		return err
	})
	return pid
}

// expectLogs waits until the log of the driver has a text this often.
func (h *home) expectLogs(text string, times int) {
	h.t.Helper()
	harness.Eventually(h.t, "the driver's log has "+text, func(context.Context) error {
		if logs := h.must("logs", "driver"); strings.Count(logs, text) < times {
			return fmt.Errorf("%d times, want %d:\n%s", strings.Count(logs, text), times, logs)
		}
		return nil
	})
}

// TestDriverCommand makes the emulator run a driver of v1alpha1: its process is killed and comes
// back with its buckets, its output is in the log without keys, and it is cleaned up, also after a
// kill -9 of the emulator.
// Spec: A1-CONFIG-1
// Known failure: E63
// Design: CSI-NONGOAL-3
func TestDriverCommand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.env = append(h.env, "SECRET_OF_THE_SHELL=x")
	command := h.oldDriverCommand("-id-prefix", "arn:old:", "-print-keys", "-late", "300ms")
	info := h.up("--driver-cmd", command, "--driver-env", "BACKEND=http://a,b", "--driver-env", "OTHER=$(DRIVER_SOCKET)")
	c := connect(t, info.Kubeconfig)
	key := c.quickstart()[v1alpha2.SecretKeyS3SecretAccessKey]
	if !strings.HasPrefix(key, "key-of-ba-") {
		t.Errorf("the application gets the key %q, want that of the driver", key)
	}
	h.expectLogs(`for the backend \"http://a,b\"`, 1)
	h.expectLogs("granted ", 1)
	if logs := h.must("logs"); strings.Contains(logs, key) {
		t.Errorf("the logs have the key %q", key)
	}
	h.checkDriverEnvironment(h.driverPID())

	kill(t, h.driverPID())
	h.expectLogs("listening at ", 2)
	h.expectLogs("signal: killed", 1)
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.remove(claimKey, &v1alpha2.BucketClaim{})
	harness.Eventually(t, "the driver has deleted everything", func(context.Context) error {
		state, err := os.ReadFile(filepath.Join(info.Dir, "run", "driver", "state.json"))
		if want := `{"buckets":{},"accounts":{}}`; err == nil && string(state) != want {
			return fmt.Errorf("the driver has %s, want %s", state, want)
		}
		return err
	})
	h.must("down")
	h.expectNothingLeft()

	info = h.up("--driver-cmd", "sh -c '"+command+" & wait'")
	if processes := harness.Processes(t, h.dir+"/olddriver -state "); len(processes) != 3 {
		t.Errorf("processes of emulator, script and driver: %q", processes)
	}
	kill(t, info.PID)
	harness.Eventually(t, "all processes have ended, also the driver that the script has started", func(context.Context) error {
		if left := harness.Processes(t, h.dir); len(left) > 0 {
			return fmt.Errorf("left: %q", left)
		}
		return nil
	})
	h.up("--driver-cmd", command) // over the files of the killed emulator
	h.must("down")
}

// checkDriverEnvironment compares the names of a process's variables.
func (h *home) checkDriverEnvironment(pid int) {
	h.t.Helper()
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		h.t.Skipf("no environment of other processes: %v", err)
	}
	all := map[string]string{}
	for pair := range strings.SplitSeq(string(environment), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	for _, name := range []string{"PATH", "COSI_ENDPOINT", "DRIVER_SOCKET", "KUBECONFIG", "POD_NAMESPACE", "STATE_DIR", "BACKEND"} {
		if all[name] == "" {
			h.t.Errorf("the driver has no variable %s", name)
		}
	}
	if all["OTHER"] != all["DRIVER_SOCKET"] || all["COSI_ENDPOINT"] != "unix://"+all["DRIVER_SOCKET"] {
		h.t.Errorf("the driver has %q", all)
	}
	for _, name := range []string{"SECRET_OF_THE_SHELL", "XDG_STATE_HOME", "KUBERNETES_SERVICE_HOST"} {
		if _, found := all[name]; found {
			h.t.Errorf("the driver has the variable %s", name)
		}
	}
	if info, err := os.Stat(filepath.Dir(all["DRIVER_SOCKET"])); err != nil || info.Mode().Perm() != 0o700 {
		h.t.Errorf("the directory of the socket: %v, %v, want mode 0700", info, err)
	}
}

const crashes = `- inject: {name: lost, seam: rpc, component: driver, operation: DriverGrantBucketAccess, nth: 1, crash: after}
- restart: driver
- crash: driver
`

// TestDriverCommandScenarios runs scenarios that stop and crash the driver, and explores crashes of
// it, with a driver for each worker.
func TestDriverCommandScenarios(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("one.yaml", scenario("one", claims+ready+crashes+granted+gone))
	driver := []string{"--driver-cmd", h.oldDriverCommand("-id-prefix", "arn:old:")}
	if r := h.run(append([]string{"run", "one.yaml"}, driver...)...); r.code != 0 || !strings.Contains(r.out, "1 passed") {
		t.Errorf("run: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.write("two.yaml", scenario("two", claims+ready+granted+gone))
	r := h.run(append([]string{
		"explore", "two.yaml", "--parallel", "2", "--at", "driver rpc *", "--effects", "crash-before,crash-after,fail", "-o", "json",
	}, driver...)...)
	if r.code != 0 || !strings.Contains(r.out, `"tried": 12`) || strings.Contains(r.out, "findings") {
		t.Errorf("explore: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}

// TestDriverCommandNew runs a driver of v1alpha2, which becomes one of v1alpha1 when it restarts.
// The emulator reports it, and continues when v1alpha2 is back.
func TestDriverCommandNew(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	old := filepath.Join(h.dir, "old")
	script := fmt.Sprintf(`sh -c 'if [ -e %[1]s ]; then exec %[2]s -state %[1]s; fi; exec %[3]s driver --endpoint=$(COSI_ENDPOINT)'`,
		old, h.buildOldDriver(h.dir), h.program())
	info := h.up("--driver-cmd", script)
	if info.DriverName != "fake.cosi-emu" {
		t.Errorf("the driver is %q", info.DriverName)
	}
	c := connect(t, info.Kubeconfig)
	c.quickstart()
	h.write("old", "{}")
	h.killDriver(h.program() + " driver ")
	h.expectLogs("the driver spoke COSI v1alpha2 before and speaks v1alpha1 now", 1)
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.remove(claimKey, &v1alpha2.BucketClaim{})
	h.must("down")
	h.expectNothingLeft()
}

// TestDriverCommandUpgrade runs drivers that restart in another dialect, and then deletes the bucket and
// the access from before. A bridge has stored their IDs if the first dialect has no calls for them.
func TestDriverCommandUpgrade(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{"v1alpha1": "kep", "one-mode": "kep", "kep": "one-mode"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			upgraded := filepath.Join(h.dir, "upgraded")
			run := "exec " + h.fakeDriverCommand("--dialect") + " "
			info := h.up("--driver-cmd", fmt.Sprintf("sh -c 'if [ -e %s ]; then %s; fi; %s'", upgraded, run+to, run+from))
			wantDialect(t, info.DriverDialect, from)
			c := connect(t, info.Kubeconfig)
			c.quickstart()
			h.write("upgraded", "")
			h.killDriver(h.program() + " driver ")
			harness.Eventually(t, "status shows the dialect "+to, func(context.Context) error {
				if got := h.info("status", "-o", "json").DriverDialect; got != strings.TrimPrefix(to, "kep") {
					return fmt.Errorf("it shows %q", got)
				}
				return nil
			})
			c.remove(accessKey, &v1alpha2.BucketAccess{})
			c.remove(claimKey, &v1alpha2.BucketClaim{})
			h.must("down")
			h.expectNothingLeft()
		})
	}
}

func wantDialect(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "kep"); got != want {
		t.Errorf("the dialect is %q, want %q", got, want)
	}
}

// killDriver kills the process of a driver.
func (h *home) killDriver(command string) {
	h.t.Helper()
	found := slices.DeleteFunc(harness.Processes(h.t, command), func(process string) bool { return strings.Contains(process, "--driver-cmd") })
	if len(found) != 1 {
		h.t.Fatalf("processes: %q", found)
	}
	pid, err := strconv.Atoi(strings.Fields(found[0])[0])
	if err != nil {
		h.t.Fatal(err)
	}
	kill(h.t, pid)
}

func TestBadDriverCommands(t *testing.T) {
	t.Parallel()
	up := func(args ...string) func(*home) []string { return command(append([]string{"up"}, args...)...) }
	// A driver starts within this time on a busy machine, too.
	started := func(args ...string) func(*home) []string { return up(append(args, "--connect-timeout", "5s")...) }
	expectRejected(t, map[string]invalidInput{
		"NotFound": {
			reason: "there is no such program",
			args:   up("--driver-cmd", "./none"), code: 2, says: []string{`--driver-cmd "./none"`, "give its path"},
		},
		"NotExecutable": {
			reason: "it is no program",
			args: func(h *home) []string {
				h.write("text", "x")
				return []string{"up", "--driver-cmd", "./text"}
			},
			code: 2, says: []string{`--driver-cmd "./text"`, "permission denied"},
		},
		"NoDriver": {
			reason: "a driver and no driver",
			args:   up("--driver-cmd", "true", "--no-fake-driver"), code: 2, says: []string{"--driver-cmd and --no-fake-driver exclude each other"},
		},
		"Environment": {
			reason: "a variable without a value; it may be a secret",
			args:   up("--driver-cmd", "true", "--driver-env", "=x"), code: 2, says: []string{"--driver-env", "KEY=VALUE"},
		},
		"EnvironmentAlone": {
			reason: "variables of no program",
			args:   up("--driver-env", "A=x"), code: 2, says: []string{"--driver-env requires --driver-cmd"},
		},
		"StoreFlags": {
			reason: "flags of the fake driver",
			args:   up("--driver-cmd", "true", "--tls"), code: 2, says: []string{"fake driver, which is left out"},
		},
		"Exits": {
			reason: "it exits at once, and says why",
			args:   up("--driver-cmd", `sh -c 'echo no backend; printf "at all" >&2; exit 3'`),
			code:   1, says: []string{"exit status 3", "no backend", "at all"},
		},
		"Silent": {
			reason: "it never listens",
			args:   up("--driver-cmd", "sleep 600", "--connect-timeout", "500ms"),
			code:   1, says: []string{"the driver runs, but it does not listen at ", "after 500ms"},
		},
		"Elsewhere": {
			reason: "it listens at a path that is compiled in",
			args: func(h *home) []string {
				elsewhere := filepath.Join(h.dir, "my.sock")
				return started("--driver-cmd", h.oldDriverCommand("-endpoint", elsewhere))(h)
			},
			code: 1, says: []string{"it listens at /", "my.sock", "name that with --driver unix:///"},
		},
		"Late": {
			reason: "DriverGetInfo fails for too long",
			args:   func(h *home) []string { return started("--driver-cmd", h.oldDriverCommand("-late", "1h"))(h) },
			code:   1, says: []string{"DriverGetInfo has no answer after 5s", "the backend is not ready"},
		},
		"Neither": {
			reason: "it serves no COSI",
			args:   func(h *home) []string { return up("--driver-cmd", h.oldDriverCommand("-no-services"))(h) },
			code:   1, says: []string{"neither COSI v1alpha2 nor v1alpha1"},
		},
		"InUse": {
			reason: "another process listens at its socket",
			args: func(h *home) []string {
				h.listen()
				return up("--driver-cmd", h.oldDriverCommand(), "--driver", "unix://"+filepath.Join(h.dir, "d.sock"))(h)
			},
			code: 1, says: []string{"d.sock", "in use"},
		},
	})
}

// TestDriverCommandElsewhere names the socket that is compiled into a driver. A killed process has
// left it.
func TestDriverCommandElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	socket := filepath.Join(h.dir, "my.sock")
	info := h.up("--driver-cmd", h.oldDriverCommand("-endpoint", socket), "--driver", "unix://"+socket)
	kill(t, h.driverPID())
	h.expectLogs("listening at "+socket, 2)
	c := connect(t, info.Kubeconfig)
	c.quickstart()
	h.write("one.yaml", scenario("one", claims))
	h.rejected("--parallel 1", "explore", "one.yaml", "--parallel", "2", "--driver-cmd", "true", "--driver", "unix://"+socket)
	h.must("down")
	h.expectNothingLeft()
}
