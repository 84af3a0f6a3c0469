package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// program is a program of docs/sdks.md.
type program struct {
	protocol       protocol
	language, text string
}

func programs(t *testing.T) []program {
	t.Helper()
	page, err := os.ReadFile("../../docs/sdks.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []program
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?\n)```$").FindAllStringSubmatch(text, -1) {
			all = append(all, program{protocol(title), block[1], block[2]})
		}
	}
	return all
}

// classPath is the environment variable with the SDKs for Java.
const classPath = "COSI_EMU_TEST_JAVA_CLASSPATH"

// requiredVariable names what must be on this machine: js, java, the keys of installsPython, and the programs of configurations.
const requiredVariable = "COSI_EMU_TEST_REQUIRE_SDKS"

// missing skips the test of a program whose SDK is not on this machine, or fails it if requiredVariable names the SDK.
func missing(t *testing.T, sdk, message string) {
	t.Helper()
	if slices.Contains(strings.Fields(os.Getenv(requiredVariable)), sdk) {
		t.Fatal(message)
	}
	t.Skip(message)
}

// siteOf starts the services of a scheme, which the test stops at its end.
func siteOf(t *testing.T, scheme string) *site {
	t.Helper()
	at, err := startSite(t.Context(), scheme, fakedriver.AddressingPath)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := at.stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return at
}

// TestSDKs runs the programs of docs/sdks.md as they are printed, with the variables of `cosi-emu env` alone, which have the
// certificate authority with https. One whose SDK is not on this machine is skipped, unless requiredVariable names the SDK.
func TestSDKs(t *testing.T) {
	t.Parallel()
	all := programs(t)
	if want := 3 * 4; len(all) != want {
		t.Fatalf("docs/sdks.md has %d programs, want %d: the test reads it wrongly, or a language is missing", len(all), want)
	}
	for _, scheme := range []string{"http", "https"} {
		at := siteOf(t, scheme)
		for _, p := range all {
			t.Run(scheme+"/"+string(p.protocol)+"/"+p.language, func(t *testing.T) {
				t.Parallel()
				p.try(t, at)
			})
		}
	}
}

// try runs a program with an access of its own.
func (p program) try(t *testing.T, at *site) {
	t.Helper()
	cmd := p.command(t)
	access, err := at.access(t.Context(), p.protocol, strings.ToLower(string(p.protocol)+"-"+p.language), readWrite)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range access {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if authority := access["SSL_CERT_FILE"]; authority != "" && p.language == "java" {
		cmd.Env = append(cmd.Env, "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore="+trustStore(t, authority)+
			" -Djavax.net.ssl.trustStorePassword="+storePassword)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if got, err := cmd.Output(); err != nil || string(got) != "hello\n" {
		t.Errorf("it prints %q, %v, want hello\n%s", got, err, stderr.String())
	}
}

// storePassword is the password of a trust store, which has no secret.
const storePassword = "changeit"

// trustStore makes a trust store of a certificate authority, as docs/sdks.md shows.
func trustStore(t *testing.T, authority string) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "trust.p12")
	out, err := exec.CommandContext(t.Context(), "keytool", "-importcert", "-noprompt", "-alias", "cosi-emu", "-file", authority,
		"-keystore", store, "-storepass", storePassword).CombinedOutput()
	if err != nil {
		t.Fatalf("keytool: %v\n%s", err, out)
	}
	return store
}

// installsPython has the commands that install the SDKs for Python, by the first part of their modules.
var installsPython = map[string]string{
	"boto3":  "make sdks-install, as root on Debian, or pip install boto3",
	"azure":  "make sdks-install, as root on Debian, or pip install azure-storage-blob",
	"google": "pip install google-cloud-storage",
}

// modules has what npm has installed.
const modules = "../../bin/clients/node_modules"

// command returns the run of a program. It skips the test without the SDK.
func (p program) command(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	write := func(name string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(p.text), privateFile); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", write("main.go")) // in this module, which has the SDKs
	switch p.language {
	case "js":
		path, err := filepath.Abs(modules)
		if _, found := os.Stat(path); err != nil || found != nil {
			missing(t, "js", "the SDK is not in bin/clients; run: make sdks-install")
		}
		if err := os.Symlink(path, filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		cmd = exec.CommandContext(t.Context(), "node", write("main.mjs"))
	case "python":
		sdk := regexp.MustCompile(`(?m)^(?:import|from) ((boto3|google|azure)\S*)`).FindStringSubmatch(p.text)
		with := slices.IndexFunc(pythons, func(python string) bool {
			return exec.CommandContext(t.Context(), python, "-c", "import "+sdk[1]).Run() == nil
		})
		if with < 0 {
			missing(t, sdk[2], "Python does not have the module "+sdk[1]+"; run: "+installsPython[sdk[2]])
		}
		cmd = exec.CommandContext(t.Context(), pythons[with], write("main.py"))
	case "java":
		jars := os.Getenv(classPath)
		if jars == "" {
			missing(t, "java", classPath+" does not have the SDKs for Java; run: mvn -f test/clients/java/pom.xml "+
				"dependency:build-classpath -Dmdep.outputFile=FILE, and set it to the content of FILE")
		}
		cmd = exec.CommandContext(t.Context(), "java", "--class-path", jars, write("Main.java")) //nolint:gosec // the tester says so
	}
	cmd.Env = os.Environ()
	return cmd
}
