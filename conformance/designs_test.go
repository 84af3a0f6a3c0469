package conformance_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// design is a driver that is right in another way than the fake driver.
type design struct {
	generations []dialects.Dialect
	options     fakedriver.Options
	behaviour   func(*sync.Map) behaviour
	service     func(*driver, http.Handler) http.Handler
	parameters  func(*conformance.Parameters)
}

// designs returns drivers that are right in another legal way, by what they do.
func designs() map[string]design {
	both := []dialects.Dialect{dialects.V1alpha1, dialects.KEP}
	onlyNew, onlyOld := both[1:], both[:1]
	return map[string]design{
		"random IDs":              {generations: both, behaviour: identified(func(string, string) string { return "t1/" + rand.Text() })},
		"derived IDs":             {generations: both, behaviour: identified(func(kind, id string) string { return kind + "." + digest(id) })},
		"IDs of a form":           {generations: onlyOld, behaviour: formed},
		"parameters are required": {generations: both, behaviour: always(parametrized)},
		"asynchronous":            {generations: both, behaviour: asynchronous},
		"case-folding":            {generations: both, behaviour: folding},
		"already exists while another call is in flight": {
			generations: onlyOld, behaviour: exclusive(failed(codes.AlreadyExists, "another call is in flight")),
		},
		"aborted while another call is in flight": {
			generations: both, behaviour: exclusive(failed(codes.Aborted, "another call is in flight")),
		},
		"aborted while another call for the bucket is in flight": {
			generations: both, behaviour: exclusiveOf(failed(codes.Aborted, "another call is in flight"), bucketOf),
		},
		"unavailable while another call is in flight": {
			generations: both, behaviour: exclusive(failed(codes.Unavailable, "another call is in flight")),
		},
		"slow": {generations: both, behaviour: always(func(ctx context.Context, r any, next call) (any, error) {
			for range 5 {
				tick(ctx)
			}
			return next(r)
		})},
		"minimal": {
			generations: onlyNew, options: fakedriver.Options{SingleBucket: true, AccessModes: []fakedriver.AccessMode{fakedriver.ReadWrite}},
			behaviour: reject(codes.Unimplemented, "there are no static buckets here", func(*get) bool { return true }),
		},
		"purging": {generations: both, parameters: func(p *conformance.Parameters) {
			p.NonEmptyDeletion = "purge"
			p.Bucket, p.Incompatible = purging(p.Bucket), purging(p.Incompatible)
		}},
		"unstated":                 {generations: both, parameters: func(p *conformance.Parameters) { *p = conformance.Parameters{} }},
		"unknown parameters":       {generations: both, behaviour: lenient},
		"replicated keys":          {generations: both, service: settling},
		"no information on Create": {generations: onlyNew, behaviour: onResponse(func(m *created) { *m = *s3Bucket() })},
		"failed precondition":      {generations: both, behaviour: always(unmet)},
		"only keys":                {generations: both, behaviour: onlyKeys},
		"values of its own":        {generations: onlyOld, behaviour: always(talkative)},
		"keys for IAM":             {generations: onlyOld, behaviour: always(keyed)},
	}
}

// TestDesigns: they pass every check that applies. A false alarm is worse than a miss.
func TestDesigns(t *testing.T) {
	t.Parallel()
	for name, d := range designs() {
		for _, generation := range d.generations {
			t.Run(name+"/"+string(generation), func(t *testing.T) {
				t.Parallel()
				options := d.options
				options.Dialect, options.ServiceAccounts = generation, true
				driver := serve(t, setup{options: options, behaviour: d.behaviour, service: d.service, parameters: d.parameters})
				report := driver.test(driver.config())
				driver.wantAll(report)
				for _, profile := range []string{"Core", "S3", "Crash-Safety"} {
					if got := verdicts(report)[profile]; got != conformance.Conformant {
						t.Errorf("%s: %s, want %s", profile, got, conformance.Conformant)
					}
				}
				t.Logf("took %s", report.Took)
			})
		}
	}
}

// parametrized rejects requests without the parameters of a class. The existing bucket fits all of them.
func parametrized(_ context.Context, r any, next call) (any, error) {
	if m, ok := r.(interface{ GetParameters() map[string]string }); ok && len(m.GetParameters()) == 0 {
		return nil, failed(codes.InvalidArgument, "the parameter is missing")
	}
	if m, ok := r.(*get); ok && m.GetBucketId() == existing {
		m.Parameters = nil
	}
	return next(r)
}

// onlyKeys rejects authentication by ServiceAccounts with UNIMPLEMENTED.
func onlyKeys(*sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		var keyless bool
		switch m := r.(type) {
		case *account:
			keyless = m.GetAuthenticationType().GetType() == withAccount
		case *grant:
			keyless = m.GetAuthenticationType().GetType() == withAccount
		case *cosiv1alpha1.DriverGrantBucketAccessRequest:
			keyless = m.GetAuthenticationType() == cosiv1alpha1.AuthenticationType_IAM
		}
		if keyless {
			return nil, failed(codes.Unimplemented, "there are only keys here")
		}
		return next(r)
	}
}

// talkative returns the bucket's name among the credentials, and names it in its errors.
func talkative(_ context.Context, r any, next call) (any, error) {
	response, err := next(r)
	m, ok := r.(interface{ GetBucketId() string })
	if !ok {
		return response, err
	}
	if access, ok := response.(*cosiv1alpha1.DriverGrantBucketAccessResponse); ok && err == nil {
		for _, protocol := range access.GetCredentials() {
			protocol.Secrets["bucketName"] = m.GetBucketId()
		}
	}
	if err != nil {
		return nil, failed(status.Code(err), status.Convert(err).Message()+" (bucket "+m.GetBucketId()+")")
	}
	return response, nil
}

// keyed returns keys for IAM, too: users of an IAM service have keys, and v1alpha1 requires credentials in each response.
func keyed(_ context.Context, r any, next call) (any, error) {
	response, err := next(r)
	m, ok := r.(*cosiv1alpha1.DriverGrantBucketAccessRequest)
	if !ok || err != nil || m.GetAuthenticationType() != cosiv1alpha1.AuthenticationType_IAM {
		return response, err
	}
	return &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: response.(*cosiv1alpha1.DriverGrantBucketAccessResponse).GetAccountId(), //nolint:forcetypeassert // it is
		Credentials: map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: map[string]string{
			cosiv1alpha1.S3AccessKeyID: rand.Text(), cosiv1alpha1.S3AccessSecretKey: rand.Text(),
		}}},
	}, nil
}

// unmet answers FailedPrecondition to a grant for a bucket that does not exist.
func unmet(_ context.Context, r any, next call) (any, error) {
	response, err := next(r)
	_, isNew := r.(*grant)
	_, isOld := r.(*cosiv1alpha1.DriverGrantBucketAccessRequest)
	if (isNew || isOld) && status.Code(err) == codes.NotFound {
		return nil, failed(codes.FailedPrecondition, "there is no such bucket")
	}
	return response, err
}

// translation replaces the IDs of a driver by others. They outlive processes.
type translation struct {
	state *sync.Map
	// of returns a new ID for one of the driver's. It is asked once for each.
	of func(kind, id string) string
	mu sync.Mutex
}

// out returns the ID that callers know.
func (t *translation) out(kind, id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.state.Load("out " + kind + id); ok {
		return known.(string) //nolint:forcetypeassert // it is
	}
	other := t.of(kind, id)
	t.state.Store("out "+kind+id, other)
	t.state.Store("in "+kind+other, id)
	return other
}

// in returns the driver's own ID. It leaves the ID of a bucket of others unchanged.
func (t *translation) in(kind string, id *string) {
	if known, ok := t.state.Load("in " + kind + *id); ok {
		*id = known.(string) //nolint:forcetypeassert // it is
	}
}

// The kinds of IDs.
const (
	kindBucket  = "b"
	kindAccount = "a"
)

// identified gives buckets and accounts other IDs than the fake driver does.
func identified(of func(kind, id string) string) func(*sync.Map) behaviour {
	return func(state *sync.Map) behaviour {
		t := &translation{state: state, of: of}
		return func(_ context.Context, r any, next call) (any, error) {
			t.request(r)
			response, err := next(r)
			if err == nil {
				t.response(response)
			}
			return response, err
		}
	}
}

// formed gives buckets and accounts IDs of a form, and rejects all others. A sidecar has only IDs
// that the driver has returned.
func formed(state *sync.Map) behaviour {
	own := identified(func(_, id string) string { return "region-1/" + id })(state)
	return func(ctx context.Context, r any, next call) (any, error) {
		var ids []string
		switch m := r.(type) {
		case *cosiv1alpha1.DriverDeleteBucketRequest:
			ids = []string{m.GetBucketId()}
		case *cosiv1alpha1.DriverGrantBucketAccessRequest:
			ids = []string{m.GetBucketId()}
		case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
			ids = []string{m.GetBucketId(), m.GetAccountId()}
		}
		for _, id := range ids {
			if !strings.HasPrefix(id, "region-1/") {
				return nil, failed(codes.InvalidArgument, "the ID has no region")
			}
		}
		return own(ctx, r, next)
	}
}

func (t *translation) request(r any) {
	switch m := r.(type) {
	case *create:
		t.in(kindBucket, &m.BucketId)
	case *get:
		t.in(kindBucket, &m.BucketId)
	case *remove:
		t.in(kindBucket, &m.BucketId)
	case *account:
		for _, b := range m.GetBuckets() {
			t.in(kindBucket, &b.BucketId)
		}
	case *grant:
		t.in(kindAccount, &m.AccountId)
		for _, b := range m.GetBuckets() {
			t.in(kindBucket, &b.BucketId)
		}
	case *revoke:
		t.in(kindAccount, &m.AccountId)
	case *cosiv1alpha1.DriverDeleteBucketRequest:
		t.in(kindBucket, &m.BucketId)
	case *cosiv1alpha1.DriverGrantBucketAccessRequest:
		t.in(kindBucket, &m.BucketId)
	case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
		t.in(kindBucket, &m.BucketId)
		t.in(kindAccount, &m.AccountId)
	}
}

func (t *translation) response(response any) {
	switch m := response.(type) {
	case *generated:
		m.BucketId = t.out(kindBucket, m.GetBucketId())
	case *accountIs:
		m.AccountId = t.out(kindAccount, m.GetAccountId())
	case *granted:
		for _, b := range m.GetBuckets() {
			b.BucketId = t.out(kindBucket, b.GetBucketId())
		}
	case *cosiv1alpha1.DriverCreateBucketResponse:
		m.BucketId = t.out(kindBucket, m.GetBucketId())
	case *cosiv1alpha1.DriverGrantBucketAccessResponse:
		m.AccountId = t.out(kindAccount, m.GetAccountId())
	}
}

// folding is a driver whose IDs are in capitals, and which does not tell letters from capitals.
func folding(*sync.Map) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		var asked []string
		switch m := r.(type) {
		case *generate:
			fold(&m.Name)
		case *create:
			fold(&m.BucketId)
		case *get:
			fold(&m.BucketId)
		case *remove:
			fold(&m.BucketId)
		case *account:
			fold(&m.AccountName)
			eachAccessed(m.GetBuckets(), func(b *accessed) { fold(&b.BucketId) })
		case *grant:
			fold(&m.AccountId)
			eachAccessed(m.GetBuckets(), func(b *accessed) { asked = append(asked, b.GetBucketId()); fold(&b.BucketId) })
		case *revoke:
			fold(&m.AccountId)
		default:
			foldOlder(r)
		}
		response, err := next(r)
		if err != nil {
			return nil, err
		}
		capitalise(response, asked)
		return response, nil
	}
}

// foldOlder folds the IDs of a request of v1alpha1.
func foldOlder(r any) {
	switch m := r.(type) {
	case *cosiv1alpha1.DriverCreateBucketRequest:
		fold(&m.Name)
	case *cosiv1alpha1.DriverDeleteBucketRequest:
		fold(&m.BucketId)
	case *cosiv1alpha1.DriverGrantBucketAccessRequest:
		fold(&m.Name, &m.BucketId)
	case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
		fold(&m.AccountId, &m.BucketId)
	}
}

func fold(texts ...*string) {
	for _, text := range texts {
		*text = strings.ToLower(*text)
	}
}

// capitalise writes the new ID of a response in capitals. The buckets of a grant keep the IDs of
// its request.
func capitalise(response any, asked []string) {
	switch m := response.(type) {
	case *generated:
		m.BucketId = strings.ToUpper(m.GetBucketId())
	case *accountIs:
		m.AccountId = strings.ToUpper(m.GetAccountId())
	case *granted:
		for i, b := range m.GetBuckets() {
			b.BucketId = asked[i]
		}
	case *cosiv1alpha1.DriverCreateBucketResponse:
		m.BucketId = strings.ToUpper(m.GetBucketId())
	case *cosiv1alpha1.DriverGrantBucketAccessResponse:
		m.AccountId = strings.ToUpper(m.GetAccountId())
	}
}

// eachAccessed visits the buckets of a request.
func eachAccessed(buckets []*accessed, visit func(*accessed)) {
	for _, b := range buckets {
		visit(b)
	}
}

// subject returns the bucket or account that a call changes, and whether the call makes it.
func subject(r any) (key string, makes, changes bool) {
	switch m := r.(type) {
	case *create:
		return kindBucket + m.GetBucketId(), true, true
	case *remove:
		return kindBucket + m.GetBucketId(), false, true
	case *grant:
		return kindAccount + m.GetAccountId(), true, true
	case *revoke:
		return kindAccount + m.GetAccountId(), false, true
	case *cosiv1alpha1.DriverCreateBucketRequest:
		return kindBucket + m.GetName(), true, true
	case *cosiv1alpha1.DriverDeleteBucketRequest:
		return kindBucket + m.GetBucketId(), false, true
	case *cosiv1alpha1.DriverGrantBucketAccessRequest:
		return kindAccount + m.GetName(), true, true
	case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
		return kindAccount + m.GetAccountId(), false, true
	}
	return "", false, false
}

// exclusive rejects a call about something while another is in flight for it. A call goes on
// after its caller has given up.
func exclusive(busy error) func(*sync.Map) behaviour {
	return exclusiveOf(busy, func(r any) string { key, _, _ := subject(r); return key })
}

// bucketOf returns the bucket that a call is about.
func bucketOf(r any) string {
	switch m := r.(type) {
	case *grant:
		if len(m.GetBuckets()) > 0 {
			return kindBucket + m.GetBuckets()[0].GetBucketId()
		}
	case *revoke:
		if len(m.GetBuckets()) > 0 {
			return kindBucket + m.GetBuckets()[0].GetBucketId()
		}
	case *cosiv1alpha1.DriverGrantBucketAccessRequest:
		return kindBucket + m.GetBucketId()
	case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
		return kindBucket + m.GetBucketId()
	default:
		key, _, _ := subject(r)
		return key
	}
	return ""
}

// exclusiveOf is exclusive with another function for the subject of a call.
func exclusiveOf(busy error, about func(r any) string) func(*sync.Map) behaviour {
	return func(*sync.Map) behaviour {
		var flying sync.Map
		return func(ctx context.Context, r any, next call) (any, error) {
			key := about(r)
			if key == "" {
				return next(r)
			}
			if exists(&flying, key) {
				return nil, busy
			}
			defer flying.Delete(key)
			for range 5 {
				tick(context.WithoutCancel(ctx))
			}
			return next(detached{r})
		}
	}
}

func tick(ctx context.Context) {
	timer := time.NewTimer(time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lenient is a driver that ignores parameters that it does not know, and unusual values.
func lenient(*sync.Map) behaviour {
	clean := func(parameters map[string]string) {
		for key, value := range parameters {
			if key != "note" || len(value) > 200 {
				delete(parameters, key)
			}
		}
	}
	return func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(interface{ GetParameters() map[string]string }); ok {
			clean(m.GetParameters())
		}
		return next(r)
	}
}

// works are the backend's jobs of an asynchronous driver.
type works struct {
	state *sync.Map // the buckets and accounts that exist

	mu     sync.Mutex
	jobs   map[string]bool  // in flight
	failed map[string]error // how a job has ended, until someone asks
}

// asynchronous is a driver whose backend takes a while. It returns UNAVAILABLE until a job
// is done.
func asynchronous(state *sync.Map) behaviour {
	w := &works{state: state, jobs: map[string]bool{}, failed: map[string]error{}}
	return func(ctx context.Context, r any, next call) (any, error) {
		key, makes, changes := subject(r)
		if !changes {
			return next(r)
		}
		if err := w.pending(key); err != nil {
			return nil, err
		}
		if _, made := state.Load(key); made == makes {
			return next(r) // nothing is left to do, or nothing is there
		}
		return nil, w.start(context.WithoutCancel(ctx), key, makes, r, next)
	}
}

// pending returns how the last job about something has ended, or that it has not.
func (w *works) pending(key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.jobs[key] {
		return failed(codes.Unavailable, "the backend is still at work")
	}
	err := w.failed[key]
	delete(w.failed, key)
	return err
}

func (w *works) start(ctx context.Context, key string, makes bool, r any, next call) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.jobs[key] {
		return failed(codes.Unavailable, "the backend is still at work")
	}
	w.jobs[key] = true
	go func() {
		for range 5 {
			tick(ctx)
		}
		response, err := next(detached{r})
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.jobs, key)
		switch {
		case err != nil:
			w.failed[key] = err
		case makes:
			w.state.Store(key, true)
			if m, ok := response.(*cosiv1alpha1.DriverCreateBucketResponse); ok {
				w.state.Store(kindBucket+m.GetBucketId(), key)
			}
		default:
			name, _ := w.state.LoadAndDelete(key)
			w.state.Delete(name)
		}
	}()
	return failed(codes.Unavailable, "the backend is at work")
}
