package env_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

// awkward are values that naive quoting would corrupt.
var awkward = []env.Variable{
	{Name: "EMPTY", Value: ""},
	{Name: "PLAIN", Value: "AKIA+/=-_.:"},
	{Name: "SPACE", Value: " /home/my user/kubeconfig "},
	{Name: "SINGLE", Value: "it's"},
	{Name: "DOUBLE", Value: `say "hello"`},
	{Name: "BOTH", Value: `it's "quoted"`},
	{Name: "SHELL", Value: "$HOME `id` $(id) ; & | < > * ? ~ ! # {a,b} [a]"},
	{Name: "BACKSLASH", Value: `a\nb\`},
	{Name: "HTML", Value: "<a>&</a>"},
	{Name: "UNICODE", Value: "é😀"},
}

var lines = env.Variable{Name: "LINES", Value: "-----BEGIN-----\nit's $x \\ \"y\"\n-----END-----\n"}

func write(t *testing.T, variables []env.Variable, format env.Format) string {
	t.Helper()
	var out strings.Builder
	if err := env.Write(&out, variables, format); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func sourced(t *testing.T, text string, variables []env.Variable) []env.Variable {
	t.Helper()
	script := "set -eu\n" + text
	for _, v := range variables {
		script += `printf '%s\0' "$` + v.Name + "\"\n"
	}
	out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", script).Output()
	if err != nil {
		t.Fatalf("a shell cannot read it: %v\n%s", err, text)
	}
	var got []env.Variable
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		got = append(got, env.Variable{Name: variables[i].Name, Value: value})
	}
	return got
}

func TestWriteShell(t *testing.T) {
	variables := append([]env.Variable{lines}, awkward...)
	if diff := cmp.Diff(variables, sourced(t, write(t, variables, env.FormatShell), variables)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWriteJSON(t *testing.T) {
	variables := append([]env.Variable{lines}, awkward...)
	want, got := map[string]string{}, map[string]string{}
	for _, v := range variables {
		want[v.Name] = v.Value
	}
	if err := json.Unmarshal([]byte(write(t, variables, env.FormatJSON)), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWriteDotenv(t *testing.T) {
	// Shells read .env files like all readers, except for line ends in a value.
	if diff := cmp.Diff(awkward, sourced(t, write(t, awkward, env.FormatDotenv), awkward)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for value, want := range map[string]string{
		"plain":              "plain",
		"":                   "''",
		"a b":                "'a b'",
		"a\nb":               `"a\nb"`,
		`it's "$x" \` + "\n": `"it's \"\$x\" \\\n"`,
	} {
		if diff := cmp.Diff("A="+want+"\n", write(t, []env.Variable{{Name: "A", Value: value}}, env.FormatDotenv)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
}

// TestWriteAdded: an added variable has an explanation, which a shell ignores, even without quotes
// around the command.
func TestWriteAdded(t *testing.T) {
	variables := []env.Variable{{Name: "FIRST", Value: "one"}, {Name: "LAST", Value: "two", Added: "not in the Secret"}}
	for format, want := range map[env.Format]string{
		env.FormatShell:  "export FIRST='one'\nexport LAST='two' # not in the Secret\n",
		env.FormatDotenv: "FIRST=one\n# LAST is not in the Secret\nLAST=two\n",
		env.FormatJSON:   "{\n  \"FIRST\": \"one\",\n  \"LAST\": \"two\"\n}\n",
	} {
		if diff := cmp.Diff(want, write(t, variables, format)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", format, diff)
		}
	}
	joined := strings.ReplaceAll(write(t, variables, env.FormatShell), "\n", " ") + "\n"
	read := []env.Variable{{Name: "FIRST", Value: "one"}, {Name: "LAST", Value: "two"}}
	if diff := cmp.Diff(read, sourced(t, joined, read)); diff != "" {
		t.Errorf("in one line: -want, +got:\n%s", diff)
	}
}

func TestWriteUnknownFormat(t *testing.T) {
	if err := env.Write(&strings.Builder{}, nil, "xml"); err == nil || !strings.Contains(err.Error(), "dotenv") {
		t.Errorf("Write() = %v, want an error that names the formats", err)
	}
}

func TestForEmulator(t *testing.T) {
	info := description.Info{Kubeconfig: "/k", DriverEndpoint: "unix:///d.sock"}
	want := []env.Variable{
		{Name: "COSI_EMU_NAME", Value: "mine"}, {Name: "KUBECONFIG", Value: "/k"}, {Name: "COSI_ENDPOINT", Value: "unix:///d.sock"},
	}
	if diff := cmp.Diff(want, env.ForEmulator("mine", info)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	info.DriverEndpoint = ""
	if diff := cmp.Diff(want[:2], env.ForEmulator("mine", info)); diff != "" {
		t.Errorf("without a driver: -want, +got:\n%s", diff)
	}
	info.GCSEndpoint = "http://127.0.0.1:9090"
	gcs := env.Variable{Name: "COSI_GCS_ENDPOINT", Value: info.GCSEndpoint}
	if diff := cmp.Diff(append(want[:2:2], gcs), env.ForEmulator("mine", info)); diff != "" {
		t.Errorf("with GCS: -want, +got:\n%s", diff)
	}
	info.GCSEndpoint, info.S3CertificateAuthority = "", "/ca.crt"
	withTLS := append(slices.Clone(want[:2]), env.Variable{Name: "AWS_CA_BUNDLE", Value: "/ca.crt"},
		env.Variable{Name: "NODE_EXTRA_CA_CERTS", Value: "/ca.crt", Added: "for Node.js"},
		env.Variable{Name: "SSL_CERT_FILE", Value: "/ca.crt", Added: "for Go, OpenSSL and the clients of Azure for Python"},
		env.Variable{Name: "REQUESTS_CA_BUNDLE", Value: "/ca.crt", Added: "for the clients of GCS for Python"},
	)
	if diff := cmp.Diff(withTLS, env.ForEmulator("mine", info)); diff != "" {
		t.Errorf("with TLS: -want, +got:\n%s", diff)
	}
}
