package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// client is a column of the table: a script, and what runs it.
type client struct {
	name, version string
	protocol      protocol
	// script is a file, or empty for a library of Go, which this program is built with.
	script string
	// program runs the script, or is the program that a script of the shell runs.
	program string
	// hosts replaces the file /etc/hosts of its processes, if it is not empty.
	hosts string
}

// libraryArgument makes this program run a case of a library.
const libraryArgument = "library"

// self is this program.
var self = must(os.Executable())

// pythons are the one in PATH, and Debian's.
var pythons = []string{"python3", "/usr/bin/python3"}

// catalogue are the clients of each protocol. Several programs are tried if they have different versions.
var catalogue = []struct {
	name, script string
	protocols    []protocol
	programs     []string
}{
	{"aws-sdk-go-v2", "", []protocol{s3, xmlAPI}, []string{self}},
	{"minio-go", "", []protocol{s3}, []string{self}},
	{"aws-sdk-js", "s3.mjs", []protocol{s3, xmlAPI}, []string{"node"}},
	{"boto3", "s3.py", []protocol{s3, xmlAPI}, pythons},
	{"awscli", "aws.sh", []protocol{s3, xmlAPI}, []string{"/usr/bin/aws", "aws"}},
	{"s3cmd", "s3cmd.sh", []protocol{s3}, []string{"s3cmd"}},
	{"mc", "mc.sh", []protocol{s3}, []string{"mc"}},
	{"restic", "restic.sh", []protocol{s3}, []string{"restic"}},
	{"rclone", "rclone.sh", []protocol{s3, gcs, azure}, []string{"rclone"}},
	{"gocloud.dev", "", []protocol{s3, gcs, azure}, []string{self}},
	{"storage for Go", "", []protocol{gcs}, []string{self}},
	{"storage for JavaScript", "gcs.mjs", []protocol{gcs}, []string{"node"}},
	{"gsutil", "gsutil.sh", []protocol{xmlAPI}, []string{"gsutil"}},
	{"azblob for Go", "", []protocol{azure}, []string{self}},
	{"azure-storage-blob for Python", "azureblob.py", []protocol{azure}, pythons},
	{"storage-blob for JavaScript", "azureblob.mjs", []protocol{azure}, []string{"node"}},
	{"azcopy", "azcopy.sh", []protocol{azure}, []string{"azcopy"}},
}

// install writes the scripts into a directory, beside which Node finds its modules. Programs are found before those in PATH.
func install(dir, programs string) error {
	programs, err := filepath.Abs(programs)
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(dir, scripts), os.Symlink(filepath.Join(programs, "node_modules"), filepath.Join(dir, "node_modules")),
		os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH")))
}

// firstVersion finds the version of a client in its output.
var firstVersion = regexp.MustCompile(`v?\d+\.\d[\w.-]*`)

// find returns the clients that are here, and the names of those that are missing. Their scripts are in a directory.
func find(ctx context.Context, dir string, wanted func(string) bool) (found []*client, missing []string) {
	for _, entry := range catalogue {
		if !wanted(entry.name) {
			continue
		}
		var versions []string
		for _, program := range entry.programs {
			c := client{name: entry.name}
			c.program, _ = exec.LookPath(program) // a client has no version without its program
			if entry.script != "" {
				c.script = filepath.Join(dir, "scripts", entry.script)
			}
			out, err := c.command(ctx, "version", nil, dir).Output()
			c.version = firstVersion.FindString(string(out))
			if err != nil || c.version == "" || slices.Contains(versions, c.version) {
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

// command returns a run of a case. It has the variables of an access, and what clients need besides.
func (c *client) command(ctx context.Context, do string, e environment, dir string) *exec.Cmd {
	args := []string{c.program, c.script, do}
	switch {
	case c.script == "":
		args = []string{c.program, libraryArgument, c.name, do}
	case strings.HasSuffix(c.script, ".sh"):
		args = []string{"/bin/bash", filepath.Join(filepath.Dir(c.script), "lib.sh"), c.script, do}
	}
	if c.hosts != "" {
		// In a namespace of its own, the process has another /etc/hosts.
		args = append([]string{"unshare", "-rm", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, c.hosts}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	endWithGroup(cmd)
	cmd.Dir = dir
	if c.protocol == xmlAPI {
		e = e.asS3()
	}
	variables := environment{
		"PATH": os.Getenv("PATH"), "HOME": dir, "TMPDIR": dir, "LC_ALL": "C.UTF-8", "AWS_EC2_METADATA_DISABLED": "true", "PROGRAM": c.program,
		"PROTOCOL": string(c.protocol), "BOTO_CONFIG": filepath.Join(dir, "boto"), "CLOUDSDK_CONFIG": dir, "PYTHONDONTWRITEBYTECODE": "1",
	}
	maps.Copy(variables, e)
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// onVirtualHosts returns the client so that it finds the virtual hosts of the buckets of accesses.
func (c *client) onVirtualHosts(ctx context.Context, dir string, accesses map[string]environment) (*client, error) {
	var names []string
	for _, e := range accesses {
		_, host, _ := strings.Cut(e["AWS_ENDPOINT_URL"], "://")
		host, _, _ = strings.Cut(host, ":")
		names = append(names, host, e[varBucket]+"."+host)
	}
	placed := *c
	placed.hosts = filepath.Join(dir, "hosts")
	if err := os.WriteFile(placed.hosts, []byte("127.0.0.1 localhost "+strings.Join(names, " ")+"\n"), privateFile); err != nil {
		return nil, err
	}
	probe := placed
	probe.script, probe.program = "", "true"
	if out, err := probe.command(ctx, "", nil, dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("virtual hosts need user namespaces (unshare of util-linux): %w: %s", err, out)
	}
	return &placed, nil
}
