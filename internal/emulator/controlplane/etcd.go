package controlplane

import (
	"net/url"
	"os"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// stopTimeout is envtest's time limit for stopping a component. Components are killed
// much earlier.
const stopTimeout = time.Hour

// etcd is envtest's etcd.
type etcd struct {
	envtest.Etcd
	files layout
}

func newEtcd(files layout, port int, opts Options) *etcd {
	e := &etcd{files: files, Etcd: envtest.Etcd{
		URL:          &url.URL{Scheme: "http", Host: loopbackAddress(port)},
		Path:         files.launcher(Etcd),
		DataDir:      files.data(),
		StartTimeout: opts.StartTimeout,
		StopTimeout:  stopTimeout,
	}}
	// There are no peers: any port is fine for them. The default election timeout of a
	// second would only delay each start.
	e.Configure().
		Set("listen-peer-urls", "http://"+loopbackAddress(0)).
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

func (e *etcd) process() (*os.Process, error) { return readPID(e.files.pid(Etcd)) }

func (e *etcd) stop() error { return e.Stop() }
