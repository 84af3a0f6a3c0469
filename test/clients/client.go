package main

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// client is a column of the table: a script, and what runs it.
type client struct {
	name, version string
	protocol      protocol
	// script is a file in scripts, or empty for a library of Go, which this program is built with.
	script string
	// program runs the script, or is what a script of the shell runs.
	program string

	hosts string
}

// catalogue are the clients of each protocol. Several programs are tried if they have different versions.
var catalogue = []struct {
	name, script string
	protocols    []protocol
	programs     []string
}{
	{"aws-sdk-go-v2", "", []protocol{s3, xmlAPI}, nil},
	{"minio-go", "", []protocol{s3}, nil},
	{"aws-sdk-js", "s3.mjs", []protocol{s3, xmlAPI}, []string{"node"}},
	{"boto3", "s3.py", []protocol{s3, xmlAPI}, []string{"python3", "/usr/bin/python3"}},
	{"awscli", "aws.sh", []protocol{s3, xmlAPI}, []string{"/usr/bin/aws", "aws"}},
	{"s3cmd", "s3cmd.sh", []protocol{s3}, []string{"s3cmd"}},
	{"mc", "mc.sh", []protocol{s3}, []string{"mc"}},
	{"restic", "restic.sh", []protocol{s3}, []string{"restic"}},
	{"rclone", "rclone.sh", []protocol{s3, gcs, azure}, []string{"rclone"}},
	{"storage for Go", "", []protocol{gcs}, nil},
	{"storage for JavaScript", "gcs.mjs", []protocol{gcs}, []string{"node"}},
	{"gsutil", "gsutil.sh", []protocol{xmlAPI}, []string{"gsutil"}},
	{"azblob for Go", "", []protocol{azure}, nil},
	{"azure-storage-blob for Python", "azureblob.py", []protocol{azure}, []string{"python3", "/usr/bin/python3"}},
	{"storage-blob for JavaScript", "azureblob.mjs", []protocol{azure}, []string{"node"}},
	{"azcopy", "azcopy.sh", []protocol{azure}, []string{"azcopy"}},
}

// workspace is where clients are: the scripts, and the programs that were installed for them.
type workspace struct{ dir, programs string }

// newWorkspace writes the scripts into a directory, beside which Node finds its modules.
func newWorkspace(dir, programs string) (*workspace, error) {
	w := &workspace{dir, programs}
	if modules := filepath.Join(programs, "node_modules"); exists(modules) {
		if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
			return nil, err
		}
	}
	return w, os.CopyFS(dir, scripts)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// find returns the clients that are here, and the names of those that are missing.
func (w *workspace) find(ctx context.Context, wanted func(string) bool) (found []*client, missing []string) {
	for _, entry := range catalogue {
		if !wanted(entry.name) {
			continue
		}
		var versions []string
		for _, program := range append(entry.programs, libraryOf(entry.script)...) {
			c := client{name: entry.name, script: entry.script, program: w.look(program)}
			if c.version = w.version(ctx, &c); c.version == "" || slices.Contains(versions, c.version) {
				continue
			}
			versions = append(versions, c.version)
			for _, p := range entry.protocols {
				one := c
				one.protocol = p
				found = append(found, &one)
			}
		}
		if versions == nil {
			missing = append(missing, entry.name)
		}
	}
	return found, missing
}

// libraryOf returns this program, for a client without a script.
func libraryOf(script string) []string {
	self, err := os.Executable()
	if script != "" || err != nil {
		return nil
	}
	return []string{self}
}

// look returns where a program is: where those for this module were installed, or in PATH.
func (w *workspace) look(program string) string {
	for _, path := range []string{filepath.Join(w.programs, program), program} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return program
}

// version asks a client for its version, which is empty if it cannot be run.
func (w *workspace) version(ctx context.Context, c *client) string {
	dir, err := os.MkdirTemp(w.dir, "version-")
	if err != nil {
		return ""
	}
	out, err := c.in(w).command(ctx, "version", nil, dir).Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return version
}

// in returns a client whose script is in a workspace.
func (c *client) in(w *workspace) *client {
	placed := *c
	if c.script != "" {
		placed.script = filepath.Join(w.dir, "scripts", c.script)
	}
	return &placed
}

// command returns a run of a case.
func (c *client) command(ctx context.Context, do string, e environment, dir string) *exec.Cmd {
	args := []string{c.program, c.script, do}
	switch {
	case c.script == "":
		args = []string{c.program, libraryArgument, c.name, do}
	case strings.HasSuffix(c.script, ".sh"):
		args = []string{"/bin/bash", c.script, do}
	}
	if c.hosts != "" {
		// In a namespace of its own, the process has another /etc/hosts.
		args = append([]string{"unshare", "-rm", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, c.hosts}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	endWithGroup(cmd)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C.UTF-8", "AWS_EC2_METADATA_DISABLED=true", "PROGRAM=" + c.program,
		"PROTOCOL=" + string(c.protocol), "BOTO_CONFIG=" + filepath.Join(dir, "boto"), "CLOUDSDK_CONFIG=" + dir, "PYTHONDONTWRITEBYTECODE=1",
	}
	for name, value := range c.variables(e) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// variables are those of an access, and what clients need besides.
func (c *client) variables(e environment) environment {
	more := maps.Clone(e)
	if authority := e[varCA]; authority != "" {
		for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE"} {
			more[name] = authority
		}
	}
	if c.protocol == xmlAPI { // which clients of S3 use with the HMAC key, as Google's documentation says
		maps.Copy(more, environment{
			"AWS_ENDPOINT_URL": e["COSI_GCS_ENDPOINT"], "AWS_ACCESS_KEY_ID": e["HMAC_ACCESS_ID"], "AWS_SECRET_ACCESS_KEY": e["HMAC_SECRET"],
			"AWS_REGION": "auto", "AWS_DEFAULT_REGION": "auto", "AWS_S3_ADDRESSING_STYLE": "path",
			"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
		})
	}
	return more
}

// onVirtualHosts returns the client so that it finds the virtual hosts of the buckets of accesses.
func (c *client) onVirtualHosts(ctx context.Context, dir string, accesses map[string]environment) (*client, error) {
	var names []string
	for _, e := range accesses {
		endpoint, err := url.Parse(e["AWS_ENDPOINT_URL"])
		if err != nil {
			return nil, err
		}
		names = append(names, endpoint.Hostname(), e[varBucket]+"."+endpoint.Hostname())
	}
	placed := *c
	var err error
	if placed.hosts, err = hosts(dir, names...); err != nil {
		return nil, err
	}
	probe := placed
	probe.script, probe.program = "", "true"
	if out, err := probe.command(ctx, "", nil, dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("virtual hosts need user namespaces (unshare of util-linux): %w: %s", err, out)
	}
	return &placed, nil
}

// libraryArgument makes this program run a case of a library.
const libraryArgument = "library"
