package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// library is a client in Go: its module, and what returns its cases. A case is a script: it prints, and ends the
// process if something fails.
type library struct {
	module string
	open   func() map[string]func()
}

// libraries are the clients that this program is built with.
var libraries = map[string]library{
	"aws-sdk-go-v2":  {"github.com/aws/aws-sdk-go-v2/service/s3", awsCases},
	"minio-go":       {"github.com/minio/minio-go/v7", minioCases},
	"storage for Go": {"cloud.google.com/go/storage", googleCases},
	"azblob for Go":  {"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", azblobCases},
}

// runLibrary runs a case of a library.
func runLibrary(name, do string) {
	l := libraries[name]
	if do == "version" {
		output(moduleVersion(l.module))
		return
	}
	run, ok := l.open()[do]
	if !ok {
		unsupportedCase("")
	}
	run()
}

// unsupportedCase ends a case that the client cannot do.
func unsupportedCase(reason string) {
	fmt.Fprint(os.Stderr, reason)
	os.Exit(exitUnsupported)
}

// check ends the process on an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// The variables of a case, and the size of the parts of large objects.
var (
	key, bucket, version = os.Getenv("KEY"), os.Getenv(varBucket), os.Getenv("VERSION")

	background = context.Background()
	blue       = map[string]string{"colour": "blue"}
)

const (
	partSize    = 5 << 20
	contentType = "text/x-test"
	cacheFor    = "max-age=60"
	disposition = `attachment; filename="a b.txt"`
)

// content returns what a case writes, and file a reader of it.
func content() []byte { return must(os.ReadFile("in")) }

func file() *bytes.Reader { return bytes.NewReader(content()) }

// save writes what a case has read.
func save(r io.Reader) { check(os.WriteFile("out", must(io.ReadAll(r)), privateFile)) }

// transport trusts the certificate authority of the Secret.
func transport() *http.Transport {
	t := &http.Transport{}
	if name := os.Getenv("SSL_CERT_FILE"); name != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(must(os.ReadFile(name))) //nolint:gosec // it is that of the emulator
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return t
}

// synchronize uploads the directory up, and downloads what a list has to the directory down.
func synchronize(put func(key string, content []byte), list func() []string, get func(key string) io.Reader) {
	for name := range tree() {
		put(key+"/"+name, must(os.ReadFile(filepath.Join("up", filepath.FromSlash(name)))))
	}
	for _, k := range list() {
		path := filepath.Join("down", filepath.FromSlash(strings.TrimPrefix(k, key)))
		check(os.MkdirAll(filepath.Dir(path), private))
		check(os.WriteFile(path, must(io.ReadAll(get(k))), privateFile))
	}
}

func output(values ...any) { must(fmt.Println(values...)) } //nolint:forbidigo // it is a script

func show(lines []string) { output(strings.Join(lines, "\n")) }

// showSigned prints a presigned request.
func showSigned(address string, header http.Header) {
	output(address)
	for name, values := range header {
		if name != "Host" && name != "Content-Length" {
			output(name + ": " + strings.Join(values, ","))
		}
	}
}

// showForm prints a POST form.
func showForm(address string, fields map[string]string) {
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"url": address, "fields": fields}))
}
