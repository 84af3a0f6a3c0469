//go:build unix

package envtest

import (
	"net/url"
	"os"
	"time"

	crenvtest "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// stopTimeout is envtest's time limit for stopping a component. Components are killed
// much earlier.
const stopTimeout = time.Hour

// etcd listens for clients and peers on UNIX sockets in the directory in which the programs run,
// which only this user can enter: etcd requires no credentials here, and stores all Secrets. The
// paths are relative because the path of a socket is limited to about 100 bytes. etcd requires a
// port, which is part of the file's name.
const (
	etcdClients = "unix://etcd.sock:0"
	etcdPeers   = "unix://peers.sock:0"
)

// etcd is envtest's etcd.
type etcd struct {
	crenvtest.Etcd
	files layout
}

func newEtcd(files layout, port int, opts controlplane.Options) *etcd {
	e := &etcd{files: files, Etcd: crenvtest.Etcd{
		// For envtest, which asks /health. It serves that and metrics, and no data.
		URL:          &url.URL{Scheme: "http", Host: controlplane.LoopbackAddress(port)},
		Path:         files.launcher(controlplane.Etcd),
		DataDir:      files.data(),
		StartTimeout: opts.StartTimeout,
		StopTimeout:  stopTimeout,
	}}
	// Without peers, the time after which a member makes itself the leader, by default a second,
	// would only delay each start.
	e.Configure().
		Set("listen-client-urls", etcdClients).
		Set("advertise-client-urls", etcdClients).
		Set("listen-peer-urls", etcdPeers).
		Set("listen-metrics-urls", e.URL.String()).
		Set("heartbeat-interval", "20").
		Set("election-timeout", "200")
	if opts.KeepData {
		e.Configure().Set("unsafe-no-fsync", "false") // envtest's default is for tests
	}
	return e
}

func (e *etcd) start(log *os.File) error {
	e.Out, e.Err = log, log
	return e.Start()
}

func (e *etcd) process() (*os.Process, error) { return readPID(e.files.pid(controlplane.Etcd)) }

func (e *etcd) stop() error { return e.Stop() }
