package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/env"
)

// configurationOf returns what `cosi-emu env -o FORMAT` prints for an access.
func configurationOf(t *testing.T, access environment, format env.Format) []byte {
	t.Helper()
	var variables []env.Variable
	for name, value := range access {
		// Not every machine finds names below localhost.
		variables = append(variables, env.Variable{Name: name, Value: strings.Replace(value, "s3.localhost", "127.0.0.1", 1)})
	}
	var text bytes.Buffer
	if err := env.Write(&text, variables, format); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// configured is a program that reads a format of `cosi-emu env`.
type configured struct {
	program string
	format  env.Format
	// put and get are shell commands that copy the file in to $url, and $url to standard output. $config is the
	// configuration, and $ca the certificate authority, or empty.
	url, put, get string
}

var configurations = []configured{
	{
		"rclone", env.FormatRclone, "cosi:$bucket/key",
		`rclone --config $config ${ca:+--ca-cert $ca} copyto in $url`, `rclone --config $config ${ca:+--ca-cert $ca} cat $url`,
	},
	{"s3cmd", env.FormatS3cmd, "s3://$bucket/key", `s3cmd -q -c $config put in $url`, `s3cmd -q -c $config get $url -`},
	{
		"aws", env.FormatAWSConfig, "s3://$bucket/key",
		`AWS_CONFIG_FILE=$config aws s3 cp --quiet in $url`, `AWS_CONFIG_FILE=$config aws s3 cp --quiet $url -`,
	},
}

// TestConfigurations uses a bucket with the configuration that `cosi-emu env` prints for a program, and nothing else. A
// program that is neither in PATH nor in bin/clients is skipped, unless requiredVariable names it.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		at := siteOf(t, scheme)
		for _, c := range configurations {
			t.Run(scheme+"/"+c.program, func(t *testing.T) {
				t.Parallel()
				c.try(t, at)
			})
		}
	}
}

func (c configured) try(t *testing.T, at *site) {
	t.Helper()
	installed, err := filepath.Abs(filepath.Dir(modules))
	if err != nil {
		t.Fatal(err)
	}
	path := installed + string(filepath.ListSeparator) + os.Getenv("PATH")
	look := exec.CommandContext(t.Context(), "/bin/bash", "-c", `command -v "$0"`, c.program)
	look.Env = []string{"PATH=" + path}
	if look.Run() != nil {
		missing(t, c.program, c.program+" is not on this machine; run: make clients-install")
	}
	access, err := at.access(t.Context(), s3, "configured-"+c.program, readWrite)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"config": configurationOf(t, access, c.format), "in": []byte("hello\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, privateFile); err != nil {
			t.Fatal(err)
		}
	}
	script := "set -e; config=config; url=" + c.url + "; " + c.put + "; " + c.get
	cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + path, "HOME=" + dir, "LC_ALL=C.UTF-8", "bucket=" + access[varBucket], "ca=" + access[varCA]}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if got, err := cmd.Output(); err != nil || string(got) != "hello\n" {
		t.Errorf("it prints %q, %v, want hello\n%s", got, err, stderr.String())
	}
}
