package client

import "os"

// Environ returns the environment of a client: where programs are, the Secret,
// the proxy, and nothing of the user's own settings.
func (t Target) Environ() ([]string, error) {
	environ, err := t.Secret.Environ(t.Dir)
	if err != nil {
		return nil, err
	}
	environ = append(environ,
		"PATH="+os.Getenv("PATH"), "HOME="+t.Dir, "TMPDIR="+t.Dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"AWS_EC2_METADATA_DISABLED=true", "S3CLIENTS_OTHER_BUCKET="+t.Other)
	if t.Proxy != "" {
		environ = append(environ,
			"HTTP_PROXY="+t.Proxy, "HTTPS_PROXY="+t.Proxy, "http_proxy="+t.Proxy, "https_proxy="+t.Proxy)
	}
	return environ, nil
}
