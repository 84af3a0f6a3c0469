package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const (
	key = "an0therK3y/ofTheDriver+sOwn=="

	granted = `
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: granted
steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- apply:
    kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
- delete: [BucketAccess/app, BucketClaim/photos]
- expect: {BucketClaim/photos: absent}
`
)

// talkative is a driver that prints its key into the error of the first call, and returns it
// only in the second.
func talkative() func(fakedriver.Options) (emulator.Server, error) {
	var failed atomic.Bool
	return func(o fakedriver.Options) (emulator.Server, error) {
		o.ServerOptions = append(o.ServerOptions, grpc.ChainUnaryInterceptor(
			func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
				if path.Base(info.FullMethod) == "DriverGrantBucketAccess" && !failed.Swap(true) {
					return nil, status.Errorf(codes.Unavailable, "account with key %v and %q is not ready", []byte(key), key)
				}
				resp, err := handle(ctx, req)
				if granted, ok := resp.(*cosiv1alpha2.DriverGrantBucketAccessResponse); ok && err == nil {
					granted.GetCredentials().GetS3().AccessSecretKey = key
				}
				return resp, err
			}))
		return fakedriver.New(o)
	}
}

// TestNoSecrets: neither the journal nor a recording nor a result has a key that a driver
// printed before anything else knew it. The oracle finds it once.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	emu := emulatortest.Start(t, emulator.Options{Dir: dir, Implementations: emulator.Implementations{Driver: talkative()}})
	recorder := recorder.New(emu, recorder.Options{Dir: filepath.Join(dir, "recordings"), All: true})
	all, err := spec.Loader{}.Parse("granted.yaml", []byte(granted))
	if err != nil {
		t.Fatal(err)
	}
	result := engine.New(emu, engine.Options{Observer: recorder}).Run(t.Context(), all[0])
	if len(result.Failures) != 1 || result.Failures[0].Oracle != vocabulary.Secret {
		t.Errorf("failures: %v, want one of the oracle %s", result.Failures, vocabulary.Secret)
	}
	absent(t, "the result", fmt.Sprintf("%+v", result))
	for _, event := range emu.Journal().Since(0) {
		absent(t, "the journal", event.String()+string(event.Request)+string(event.Response))
	}
	if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	files := 0
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		files++
		absent(t, path, string(content))
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("looked into %d files: %v", files, err)
	}
}

func absent(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range []string{key, strings.Trim(fmt.Sprintf("%d", []byte(key)), "[]")} {
		if at := bytes.Index([]byte(text), []byte(form)); at >= 0 {
			t.Errorf("%s has the key: %s", where, text[max(0, at-200):at+len(form)])
		}
	}
}
