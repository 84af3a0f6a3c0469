package client

import (
	_ "embed"
	"os"
	"path/filepath"
)

//go:embed sitecustomize.py
var sitecustomize []byte

// Environ returns the environment of a client: where programs are, the Secret,
// and nothing of the user's own settings.
func (t Target) Environ() ([]string, error) {
	environ, err := t.Secret.Environ(t.Dir)
	return append(environ,
		"PATH="+os.Getenv("PATH"), "HOME="+t.Dir, "TMPDIR="+t.Dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"AWS_EC2_METADATA_DISABLED=true", "S3CLIENTS_OTHER_BUCKET="+t.Other), err
}

// EnvironProxy is Environ for a program that finds the hosts of virtual-host
// addresses by the proxy.
func (t Target) EnvironProxy() ([]string, error) {
	environ, err := t.Environ()
	if t.Proxy != "" {
		environ = append(environ, "HTTP_PROXY="+t.Proxy, "HTTPS_PROXY="+t.Proxy)
	}
	return environ, err
}

// EnvironPython is Environ for a program in Python, which finds those hosts
// itself: by way of a proxy it would change the paths of some keys, and not
// arrive at what it has signed.
func (t Target) EnvironPython() ([]string, error) {
	environ, err := t.Environ()
	if err != nil || t.Proxy == "" {
		return environ, err
	}
	dir := filepath.Join(t.Dir, "python")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return append(environ, "PYTHONPATH="+dir), os.WriteFile(filepath.Join(dir, "sitecustomize.py"), sitecustomize, 0o600)
}
