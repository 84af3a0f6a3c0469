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
	isLocal, files := false, mounts(variables)
	for _, v := range variables {
		isLocal = isLocal || isLoopback(v.Value)
		switch {
		case strings.ContainsAny(v.Value, "\r\n"):
			lines = append(lines, "# "+v.Name+" has several lines, which --env-file does not support")
		case filepath.IsAbs(v.Value):
			if mount, ok := files[v.Name]; ok {
				lines = append(lines, mount)
			}
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

// mounts returns the comment for each file, by the first variable with its name: docker mounts a file once, and
// rejects two files at one place.
func mounts(variables []Variable) map[string]string {
	names, files, bases := map[string][]string{}, []string{}, map[string]int{}
	for _, v := range variables {
		if !filepath.IsAbs(v.Value) || strings.ContainsAny(v.Value, "\r\n") {
			continue
		}
		if len(names[v.Value]) == 0 {
			files = append(files, v.Value)
		}
		names[v.Value] = append(names[v.Value], v.Name)
	}
	comments := map[string]string{}
	for _, file := range files {
		base, of := filepath.Base(file), names[file]
		inside := "/cosi-emu/" + base
		bases[base]++
		if n := bases[base]; n > 1 {
			inside = fmt.Sprintf("/cosi-emu/%d/%s", n, base)
		}
		verb := "is a file"
		if len(of) > 1 {
			verb = "are one file"
		}
		comments[of[0]] = fmt.Sprintf("# %s %s: -v %s:%s:ro -e %s=%[4]s",
			strings.Join(of, ", "), verb, file, inside, strings.Join(of, "="+inside+" -e "))
	}
	return comments
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
