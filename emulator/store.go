package emulator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// startStore opens the store, which keeps its contents over the incarnations of the component.
// Clients can reach it only while an incarnation runs.
func (e *Emulator) startStore(ctx context.Context) error {
	port, err := e.reservePort(ctx, portChoice{
		service: "S3", wanted: e.opts.S3Port, saved: e.origin.s3Port,
		moved: e.movedSecrets(),
	})
	if err != nil {
		return err
	}
	secure, err := e.storeTLS()
	if err != nil {
		return err
	}
	current := &e.storeIncarnation
	if err := e.openStore(ctx, clockOf(current), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().Middleware(e.store, next).ServeHTTP(w, r) })
	}); err != nil {
		return err
	}
	e.tlsConfig = secure
	e.info.S3Region = fakedriver.DefaultRegion
	e.info.S3Endpoint = e.scheme() + net.JoinHostPort(e.opts.listen().Host(), port.number)
	e.keys.S3 = keyring.Service{Handler: e.store.Unwrapped(), Endpoint: e.info.S3Endpoint, Region: e.store.Region()}
	if !e.opts.listen().BeyondLoopback() {
		e.s3VirtualEndpoint = e.scheme() + net.JoinHostPort(s3.DefaultHost, port.number)
	}
	return e.startStateful(ctx, ComponentStore, e.loseAllData, func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		listener, err := port.listen(ctx)
		if err != nil {
			return nil, err
		}
		if secure != nil {
			listener = tls.NewListener(listener, secure)
		}
		current.Store(i)
		return server(func(ctx context.Context) error { return e.store.Serve(ctx, listener) }), nil
	})
}

// clockOf returns the clock of a component whose data survive its incarnations.
func clockOf(current *atomic.Pointer[seam.Incarnation]) func() time.Time {
	return func() time.Time {
		if i := current.Load(); i != nil {
			return i.Now()
		}
		return time.Now()
	}
}

func (e *Emulator) openStore(ctx context.Context, now func() time.Time, middleware func(http.Handler) http.Handler) (err error) {
	opts := store.Options{
		MaxBodyBytes: e.opts.MaxBodyBytes,
		MaxAccounts:  e.opts.MaxAccounts,
		CORSOrigins:  e.opts.S3CORSOrigins,
		WebIdentity:  e.webIdentity,
		Issued:       e.rememberSession,
		Middleware:   middleware,
		Now:          now,
	}
	if e.dataDir() != "" {
		opts.Dir = storeDir(e.dataDir())
	}
	if e.store, err = store.New(opts); err != nil {
		return err
	}
	e.onStop(func(context.Context) error { return e.store.Close() })
	if opts.Dir == "" {
		return nil
	}
	return gcs.Migrate(ctx, e.store, filepath.Join(e.dataDir(), "gcs"))
}

// storeDir is the subdirectory for the store's files in a data directory.
func storeDir(dir string) string { return filepath.Join(dir, "store") }

func listenTCP(ctx context.Context, service, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err // the rest of the message repeats the address
		}
		return nil, fmt.Errorf("listen for %s on %s: %w; stop the program that uses it, or choose another port", service, address, err)
	}
	return listener, nil
}

var errStarting = errors.New("the API server is still starting")

// webIdentity returns the account for a ServiceAccount token. It returns errStarting until the API
// server, which starts after the store, is ready.
func (e *Emulator) webIdentity(ctx context.Context, token, role string) (string, error) {
	directory := e.identities.Load()
	if directory == nil {
		return "", errStarting
	}
	return directory.Account(ctx, token, role)
}

// rememberSession remembers the temporary key that an application has exchanged for the token of
// its ServiceAccount.
func (e *Emulator) rememberSession(s *authorization.Session) {
	key := backend.IssuedKey{Account: s.Account, AccessKeyID: s.AccessKeyID, Secret: s.Secret, SessionToken: s.Token}
	accounts, err := e.store.Accounts(context.Background())
	of := slices.IndexFunc(accounts, func(a fakedriver.Account) bool { return a.ID == s.Account })
	if err == nil && of >= 0 { // a missing account was just revoked, and the key must open nothing
		key.Owner, key.Buckets = accounts[of].Owner, keyring.BucketsOf(accounts[of].AccountSpec)
	}
	e.keys.Add(key)
}
