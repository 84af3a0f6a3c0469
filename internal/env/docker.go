package env

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// writeDocker writes the lines NAME=VALUE of 'docker run --env-file'. Values have no quotes, and no lines. Names of
// files and sockets of this machine mean nothing in a container, and become comments.
func writeDocker(w io.Writer, variables []Variable) error {
	var lines []string
	isLocal := false
	for _, v := range variables {
		isLocal = isLocal || isLoopback(v.Value)
		switch {
		case strings.ContainsAny(v.Value, "\r\n"):
			lines = append(lines, "# "+v.Name+" has several lines, which --env-file does not support")
		case filepath.IsAbs(v.Value):
			lines = append(lines, fmt.Sprintf("# %s is a file: -v %s:/cosi-emu/%s:ro -e %[1]s=/cosi-emu/%[3]s",
				v.Name, v.Value, filepath.Base(v.Value)))
		case strings.HasPrefix(v.Value, "unix://"), v.Name == NameVariable:
		default:
			lines = append(lines, v.Name+"="+v.Value)
		}
	}
	if isLocal {
		lines = append([]string{
			"# A container reaches 127.0.0.1 of this machine with 'docker run --network host'. For other networks, start with",
			"# 'cosi-emu up --listen 0.0.0.0 --advertise host.docker.internal', and that name in /etc/hosts of this machine.",
		}, lines...)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// isLoopback reports whether a value is the URL of a service that only this machine reaches.
func isLoopback(value string) bool {
	u, err := url.Parse(value)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
