package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// library is a client in Go: its module, and what opens the bucket of an access with it, for a case.
type library struct {
	module string
	open   func(do string) store
}

// libraries are the clients that this program is built with.
var libraries = map[string]library{
	"aws-sdk-go-v2":  {"github.com/aws/aws-sdk-go-v2/service/s3", newAWS},
	"minio-go":       {"github.com/minio/minio-go/v7", newMinio},
	"gocloud.dev":    {"gocloud.dev", newGoCloud},
	"storage for Go": {"cloud.google.com/go/storage", newGoogle},
	"azblob for Go":  {"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", newAzblob},
}

// store is the bucket of an access, as each library has it. Its methods end the process if something
// fails, and print the library's results.
type store interface {
	write(key string, from io.Reader, o object)
	// read returns length bytes of an object, or with -1 all.
	read(key string, offset, length int64) io.Reader
	// list returns the keys and the common prefixes below the key of the case, in pages of a size.
	list(delimiter string, page int32) []string
	copy(to string)
	delete(key string)
	head()
	// special are cases that only this library has, or has in another way.
	special() map[string]func()
}

// object is how an object is written, in parts if it is large.
type object struct {
	inParts                                bool
	metadata                               map[string]string
	contentType, cacheControl, disposition string
	ifMatch, ifNoneMatch                   string
}

// The variables of a case. If they are set, objects are written with the algorithm, read and deleted in the version, and
// read if the ETag is another.
var (
	key, bucket, version = os.Getenv("KEY"), os.Getenv(varBucket), os.Getenv("VERSION")
	algorithm, etag      = os.Getenv("ALGORITHM"), os.Getenv("ETAG")

	// retries reports whether the client is to repeat requests. Else it must not hide that one has failed.
	retries = os.Getenv(varRetries) != ""

	background = context.Background()
	blue       = map[string]string{"colour": "blue"}
)

const (
	partSize    = 5 << 20
	contentType = "text/x-test"
	cacheFor    = "max-age=60"
	disposition = `attachment; filename="a b.txt"`
)

// cases are the cases of all libraries. The operations ask only S3 for checksums and versions.
func cases(s store) map[string]func() {
	put := func(o object) func() { return func() { s.write(key, file(), o) } }
	get := func(offset, length int64) func() { return func() { save("out", s.read(key, offset, length)) } }
	return map[string]func(){
		"put":            put(object{}),
		"get":            get(0, -1),
		"head":           s.head,
		"list":           func() { show(s.list("", 100)) },
		"delimiter":      func() { show(s.list("/", 1)) },
		"range":          get(1000, 1000),
		"copy":           func() { s.copy(".copy") },
		"move":           func() { s.copy(".moved"); s.delete(key) },
		"delete":         func() { s.delete(key) },
		"delete-many":    func() { s.delete(key + "/1"); s.delete(key + "/2") },
		"put-parts":      put(object{inParts: true}),
		"stream":         func() { s.write(key, io.MultiReader(os.Stdin), object{inParts: true}) }, // a reader that cannot seek
		"sync":           func() { synchronize(s) },
		"put-metadata":   put(object{metadata: blue}),
		"put-headers":    put(object{contentType: contentType, cacheControl: cacheFor, disposition: disposition}),
		"checksum":       put(object{}),
		"checksum-parts": put(object{inParts: true}),
		"get-version":    get(0, -1),
		"undelete":       func() { s.delete(key) },
		"put-new":        put(object{ifNoneMatch: "*"}),
		"put-match":      put(object{ifMatch: `"0123"`}),
		"get-changed":    get(0, -1),
		"anonymous":      get(0, -1),
	}
}

// runLibrary runs the case of a library that the arguments name, if they do, and ends the process.
func runLibrary() {
	if len(os.Args) != 4 || os.Args[1] != libraryArgument {
		return
	}
	l, do := libraries[os.Args[2]], os.Args[3]
	if do == "version" {
		build, _ := debug.ReadBuildInfo()
		i := slices.IndexFunc(build.Deps, func(m *debug.Module) bool { return m.Path == l.module })
		output(build.Deps[i].Version)
		os.Exit(0)
	}
	s := l.open(do)
	all := cases(s)
	maps.Copy(all, s.special())
	if run, ok := all[do]; ok {
		run()
		os.Exit(0)
	}
	unsupportedCase("")
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

// optional returns a pointer to a value, or nil if the value is empty.
func optional[T ~string](value T) *T {
	if value == "" {
		return nil
	}
	return &value
}

// file returns the content that a case writes.
func file() *bytes.Reader { return bytes.NewReader(must(os.ReadFile("in"))) }

// save writes the content that a case has read.
func save(path string, r io.Reader) { check(os.WriteFile(path, must(io.ReadAll(r)), privateFile)) }

// synchronize uploads the directory up, and downloads the listed objects to the directory down.
func synchronize(s store) {
	for name := range tree() {
		s.write(key+"/"+name, bytes.NewReader(must(os.ReadFile(filepath.Join("up", filepath.FromSlash(name))))), object{})
	}
	for _, k := range s.list("", pages) {
		path := filepath.Join("down", filepath.FromSlash(strings.TrimPrefix(k, key)))
		check(os.MkdirAll(filepath.Dir(path), private))
		save(path, s.read(k, 0, -1))
	}
}

func output(values ...any) { must(fmt.Println(values...)) } //nolint:forbidigo // it is a script

func show(lines []string) { output(strings.Join(lines, "\n")) }

// dump prints the fields of a value.
func dump(value any) { check(json.NewEncoder(os.Stdout).Encode(value)) }

// showSigned prints a presigned request.
func showSigned(address string, header http.Header) {
	output(address)
	check(header.WriteSubset(os.Stdout, map[string]bool{"Host": true, "Content-Length": true}))
}

// showForm prints a POST form.
func showForm(address string, fields map[string]string) {
	dump(map[string]any{"url": address, "fields": fields})
}
