package conformance_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
)

// serveDialect serves the fake driver in a dialect, with a mistake, until the test ends. It returns
// the configuration for it.
func serveDialect(t *testing.T, dialect dialects.Dialect, mistake behaviour) (*driver, conformance.Config) {
	t.Helper()
	options := allProtocols()
	options.Dialect, options.AccessModes = dialect, modesOf(dialect)
	d := serve(t, setup{options: options, behaviour: func(*sync.Map) behaviour { return mistake }, socket: true})
	config := d.config()
	return d, config
}

// modesOf are the access modes that a driver of a dialect can grant; none means all.
func modesOf(dialect dialects.Dialect) []fakedriver.AccessMode {
	if dialect == dialects.NoModes {
		return []fakedriver.AccessMode{fakedriver.ReadWrite}
	}
	return nil
}

// earlierDialects are the dialects of v1alpha2 before the KEP.
func earlierDialects() []dialects.Dialect {
	return dialects.Range{First: dialects.NoModes, Last: dialects.BucketIDs}.Dialects()
}

// TestDialects: a correct driver of each earlier dialect of v1alpha2 conforms to its dialect. The
// report names the dialect, quotes its text, and lists the differences from the KEP.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, dialect := range earlierDialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, config := serveDialect(t, dialect, passOn)
			var named []dialects.Dialect
			config.OnDialect = func(d dialects.Dialect) { named = append(named, d) }
			if dialect == dialects.NoModes {
				config.Dialect = dialect // it cannot be told from one-mode
			}
			report := d.test(config)
			d.wantAll(report)
			if diff := gocmp.Diff([]dialects.Dialect{dialect}, named); diff != "" {
				t.Errorf("named dialects: -want, +got:\n%s", diff)
			}
			const yes, no = conformance.Conformant, conformance.Unsupported
			want := map[string]string{
				"Core": yes, "S3": yes, "S3-Access-Modes": yes, "Multi-Bucket": yes, "ServiceAccount": yes, "Azure": yes, "GCS": yes,
				"Crash-Safety": yes,
			}
			if dialect == dialects.NoModes {
				want["S3-Access-Modes"] = no
			}
			if diff := gocmp.Diff(want, verdicts(report)); diff != "" {
				t.Errorf("verdicts: -want, +got:\n%s", diff)
			}
			if report.Dialect != dialect || report.Generation != "v1alpha2" {
				t.Errorf("the report names %s, %s", report.Generation, report.Dialect)
			}
			wantDifferences(t, report)
			for _, result := range report.Results {
				wantOwnText(t, dialect, result)
			}
		})
	}
}

// wantDifferences fails the test unless each form of a report has the differences from the KEP.
func wantDifferences(t *testing.T, report *conformance.Report) {
	t.Helper()
	var text, markdown, html strings.Builder
	for _, err := range []error{report.WriteText(&text), report.WriteMarkdown(&markdown), report.WriteHTML(&html)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for form, shown := range map[string]string{"text": text.String(), "Markdown": markdown.String(), "HTML": html.String()} {
		for _, want := range []string{string(report.Dialect), "Differences from the KEP", "none: DriverGrantBucketAccess returns the ID"} {
			if !strings.Contains(shown, want) {
				t.Errorf("the report in %s does not have %q", form, want)
			}
		}
	}
}

// wantOwnText fails the test if a check quotes another dialect than the driver's.
func wantOwnText(t *testing.T, dialect dialects.Dialect, result conformance.Result) {
	t.Helper()
	if result.State == conformance.NotSupported && strings.HasPrefix(result.Reason, "this is about") {
		if !strings.Contains(result.Reason, "dialect "+string(dialect)) {
			t.Errorf("%s: the reason %q does not name the dialect", result.Check.ID, result.Reason)
		}
		return
	}
	if strings.Contains(result.Reason, "Unimplemented") {
		t.Errorf("%s: a call of another dialect: %s", result.Check.ID, result.Reason)
	}
	for _, other := range []string{"bucket_id do not result", "DriverGenerate", "v1alpha1"} {
		if dialect != dialects.BucketIDs && strings.Contains(result.Check.Sentence+result.Check.Source, other) {
			t.Errorf("%s quotes %q (%s)", result.Check.ID, result.Check.Sentence, result.Check.Source)
		}
	}
}

// anotherBucket returns another ID for a bucket that exists.
func anotherBucket() behaviour {
	var created sync.Map
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*dialects.BucketResponse); ok && err == nil && exists(&created, m.GetBucketId()) {
			m.BucketId += ".again"
		}
		return response, err
	}
}

// onGrant changes the modes of requests.
func onGrant(change func(*dialects.AccessMode)) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		if m, ok := r.(*dialects.GrantBucketAccessRequest); ok {
			for _, b := range m.GetBuckets() {
				change(b.GetAccessMode())
			}
		}
		return next(r)
	}
}

// TestDialectMistakes: faulty drivers of earlier dialects fail the checks that are about their mistakes.
func TestDialectMistakes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		dialect dialects.Dialect
		mistake behaviour
		only    []string
		want    []string
	}{
		"AnotherBucket": {dialects.OneMode, anotherBucket(), []string{"CB-01", "CB-03", "CB-04", "CB-05"}, []string{"CB-05"}},
		// It takes the numbers for the KEP's, so that 2 is READ_WRITE.
		"OtherNumbers": {dialects.OneMode, onGrant(func(m *dialects.AccessMode) {
			if m.GetMode() == dialects.AccessMode_READ_ONLY {
				m.Mode = dialects.AccessMode_READ_WRITE
			}
		}), []string{"AM-01", "AM-02", "AM-03", "MB-09"}, []string{"AM-02", "AM-03", "MB-09"}},
		"UnknownModes": {dialects.OneModeGet, onGrant(func(m *dialects.AccessMode) {
			if m.GetMode() > dialects.AccessMode_WRITE_ONLY {
				m.Mode = dialects.AccessMode_READ_WRITE
			}
		}), []string{"GR-01", "GR-25"}, []string{"GR-25"}},
		"NoBucketID": {
			dialects.OneMode, onAnswer(func(m *dialects.BucketResponse) { m.BucketId = "" }, isGet),
			[]string{"GE-01", "GE-08"}, []string{"GE-08"},
		},
		"InvalidID": {
			dialects.OneMode, onAnswer(func(m *dialects.BucketResponse) { m.BucketId = "t1/" + m.GetBucketId() }, isCreate),
			[]string{"CB-01", "CB-03"}, []string{"CB-03"},
		},
		"NoAccountID": {
			dialects.BucketIDs, onAnswer(func(m *dialects.GrantBucketAccessResponse) { m.AccountId = "" }, isAny),
			[]string{"GR-01", "GR-02"}, []string{"GR-02"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, config := serveDialect(t, tc.dialect, tc.mistake)
			config.Only = tc.only
			report := d.test(config)
			if diff := gocmp.Diff(tc.want, failedChecks(report)); diff != "" {
				t.Errorf("failed checks: -want, +got:\n%s", diff)
			}
			for _, result := range report.Results {
				if result.State != conformance.Pass && result.State != conformance.Fail {
					t.Error(result.Explain())
				}
			}
		})
	}
}

// failedChecks returns the IDs of the checks that failed.
func failedChecks(report *conformance.Report) []string {
	var failed []string
	for _, result := range report.Results {
		if result.State == conformance.Fail {
			failed = append(failed, result.Check.ID)
		}
	}
	slices.Sort(failed)
	return failed
}

func isAny(any) bool      { return true }
func isGet(r any) bool    { _, ok := r.(*get); return ok }
func isCreate(r any) bool { _, ok := r.(*create); return ok }

// onAnswer changes responses of a type, to requests that a condition holds for.
func onAnswer[T any](change func(*T), holds func(any) bool) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*T); ok && err == nil && holds(r) {
			change(m)
		}
		return response, err
	}
}

// TestDialectProcess: the suite starts, restarts and kills a driver of each dialect, and finds that
// its buckets do not outlive its process.
func TestDialectProcess(t *testing.T) {
	t.Parallel()
	for _, dialect := range earlierDialects()[1:] {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			report, err := conformance.Execute(t.Context(), conformance.Config{
				DriverCommand: []string{os.Args[0]}, DriverEnv: []string{roleVariable + "=" + ofDialect, generationVariable + "=" + string(dialect)},
				Profiles: []string{"Crash-Safety"}, Seed: "test",
			})
			if err != nil {
				t.Fatal(err)
			}
			if report.Dialect != dialect || report.Problem != "" {
				t.Errorf("dialect %s, problem %q", report.Dialect, report.Problem)
			}
			if diff := gocmp.Diff([]string{"CS-11", "CS-14", "LF-11"}, failedChecks(report)); diff != "" {
				t.Errorf("failed checks: -want, +got:\n%s", diff)
			}
		})
	}
}

// runDialect is a driver of the dialect that a variable names.
func runDialect(ctx context.Context) error {
	listener, err := fakedriver.Listen(os.Getenv("COSI_ENDPOINT"))
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	(&dialectdriver.Driver{Dialect: dialects.Dialect(os.Getenv(generationVariable))}).Register(server)
	context.AfterFunc(ctx, server.GracefulStop)
	return server.Serve(listener)
}

// TestNotADriver: a server without COSI is one verdict, and no check is run.
func TestNotADriver(t *testing.T) {
	t.Parallel()
	endpoint := "unix://" + filepath.Join(t.TempDir(), "d.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", strings.TrimPrefix(endpoint, "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); served.Wait() })
	report, err := conformance.Execute(t.Context(), conformance.Config{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	if report.OK() || len(report.Results) > 0 || report.Verdicts[0].Verdict != conformance.NotTested {
		t.Errorf("OK() = %t, %d results, verdicts %v", report.OK(), len(report.Results), report.Verdicts)
	}
	wantProblem(t, report, "DriverGetInfo of neither v1alpha2 nor v1alpha1")
}

// wantProblem fails the test unless the text and JUnit have the reason why there is no result.
func wantProblem(t *testing.T, report *conformance.Report, problem string) {
	t.Helper()
	var text, junit strings.Builder
	for _, err := range []error{report.WriteText(&text), report.WriteJUnit(&junit), report.WriteHTML(&strings.Builder{})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := text.String(); !strings.HasPrefix(got, "The driver could not be tested: ") || !strings.Contains(got, problem) ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("text:\n%s", got)
	}
	if got := junit.String(); strings.Count(got, "<error") != 1 || !strings.Contains(got, problem) {
		t.Errorf("JUnit:\n%s", got)
	}
}

// TestFragileDriver: a driver that hangs at an invalid request is tested. Its dialect is known by the call
// that it has.
func TestFragileDriver(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context, r any, next call) (any, error) {
		if m, ok := r.(*generate); ok && m.GetName() == "" {
			<-ctx.Done()
			return nil, failed(codes.DeadlineExceeded, "too late")
		}
		return next(r)
	}
	d, config := serveDialect(t, dialects.BucketIDs, hangs)
	config.Only, config.CallTimeout = []string{"GB-01", "GB-05"}, 5*time.Second
	report := d.test(config)
	states := map[string]string{}
	for _, result := range report.Results {
		states[result.Check.ID] = result.State
	}
	want := map[string]string{"GB-01": conformance.Pass, "GB-05": conformance.Fail}
	if diff := gocmp.Diff(want, states); diff != "" || report.Dialect != dialects.BucketIDs {
		t.Errorf("dialect %s, states: -want, +got:\n%s", report.Dialect, diff)
	}
}

// TestMissingCall: a driver that does not implement a call fails or skips all checks of the call.
func TestMissingCall(t *testing.T) {
	t.Parallel()
	d := serve(t, setup{behaviour: reject(codes.Unimplemented, "later", func(*generate) bool { return true })})
	config := d.config()
	config.Only = []string{"GB-01", "GB-05", "GB-06", "GB-08", "GB-09"}
	states := map[string]string{}
	for _, result := range d.test(config).Results {
		states[result.Check.ID] = result.State
	}
	want := map[string]string{
		"GB-01": conformance.Fail, "GB-05": conformance.NotReached, "GB-06": conformance.NotReached,
		"GB-08": conformance.NotReached, "GB-09": conformance.NotReached,
	}
	if diff := gocmp.Diff(want, states); diff != "" {
		t.Errorf("states: -want, +got:\n%s", diff)
	}
}

// TestOlderText: a driver of v1alpha1 is judged by the text of v1alpha1.
func TestOlderText(t *testing.T) {
	t.Parallel()
	d := serve(t, setup{options: fakedriver.Options{Dialect: dialects.V1alpha1, ServiceAccounts: true}})
	for _, result := range d.test(d.config()).Results {
		about := result.Check.Source + result.Check.Link
		if !strings.HasPrefix(result.Reason, "this is about") && (strings.Contains(about, "KEP") || strings.Contains(about, "blob/main/proto")) {
			t.Errorf("%s rests on %q (%s)", result.Check.ID, result.Check.Sentence, result.Check.Source)
		}
	}
}

// TestFailureTexts: a failure names the field that is wrong.
func TestFailureTexts(t *testing.T) {
	t.Parallel()
	misspelt := onResponse(func(m *cosiv1alpha1.DriverGrantBucketAccessResponse) {
		secrets := m.GetCredentials()["s3"].GetSecrets()
		secrets["accessKeyId"] = secrets["accessKeyID"]
		delete(secrets, "accessKeyID")
		delete(secrets, "endpoint")
	})
	elsewhere := func(state *sync.Map) behaviour {
		own := identified(func(_, id string) string { return "fsn1:" + id })(state)
		return func(ctx context.Context, r any, next call) (any, error) {
			return own(ctx, r, func(r any) (any, error) {
				if m, ok := r.(*cosiv1alpha1.DriverCreateBucketRequest); ok {
					m.Name = "cosi-" + m.GetName()
				}
				return next(r)
			})
		}
	}
	for id, tc := range map[string]struct {
		mistake       func(*sync.Map) behaviour
		expected, got string
	}{
		"CB-05": {forgetful, "bucket_info for S3 again", "none"},
		"CB-22": {longIDs, "an ID of 1 to 128 bytes", `…" of 292 bytes`},
		"SA-01": {elsewhere, "the credential can write an object", "with bucket name fsn1:cosi-bc-"},
		"GR-04": {
			misspelt, "values of accessKeyID, accessSecretKey, endpoint, bucket_id",
			`no accessKeyID, endpoint; COSI's sidecar does not read the keys ["accessKeyId"]`,
		},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			d := serve(t, setup{options: *old(), behaviour: tc.mistake})
			config := d.config()
			config.Only = []string{id}
			result := d.test(config).Results[0]
			if result.Failure == nil {
				t.Fatalf("%s: %s, %s", id, result.State, result.Reason)
			}
			if f := result.Failure; f.Expected != tc.expected || !strings.Contains(f.Got, tc.got) {
				t.Errorf("expected %q, got %q; want expected %q, got %q", f.Expected, f.Got, tc.expected, tc.got)
			}
		})
	}
}

// TestRequestsOfDialect: an explanation has the requests with the names of the driver's dialect, as
// they were sent.
func TestRequestsOfDialect(t *testing.T) {
	t.Parallel()
	broken := func(method any) behaviour {
		return func(_ context.Context, r any, next call) (any, error) {
			if reflect.TypeOf(r) == reflect.TypeOf(method) {
				return nil, failed(codes.Internal, "it is broken")
			}
			return next(r)
		}
	}
	for _, tc := range []struct {
		dialect dialects.Dialect
		mistake behaviour
		check   string
		want    map[string]string // the first field, by method
	}{
		{
			dialects.OneMode, broken(&revoke{}), "RV-01",
			map[string]string{"DriverCreateBucket": "name", "DriverGrantBucketAccess": "accountName", "DriverRevokeBucketAccess": "accountId"},
		},
		{dialects.OneMode, broken(&get{}), "GE-02", map[string]string{"DriverGetExistingBucket": "existingBucketId"}},
		{dialects.OneModeGet, broken(&get{}), "GE-02", map[string]string{"DriverGetBucket": "bucketId"}},
		{
			dialects.BucketIDs, broken(&revoke{}), "RV-01",
			map[string]string{"DriverCreateBucket": "bucketId", "DriverGrantBucketAccess": "accountName"},
		},
	} {
		t.Run(string(tc.dialect)+"/"+tc.check, func(t *testing.T) {
			t.Parallel()
			d, config := serveDialect(t, tc.dialect, tc.mistake)
			config.Only = []string{tc.check}
			result := d.test(config).Results[0]
			if result.State != conformance.Fail {
				t.Fatalf("%s: %s, %s", result.Check.ID, result.State, result.Reason)
			}
			got := map[string]string{}
			for _, e := range result.Exchanges {
				if _, asked := tc.want[e.Method]; asked {
					got[e.Method] = firstField(t, e.Request)
				}
			}
			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("first fields (-want +got):\n%s", diff)
			}
		})
	}
}

// firstField returns the name of the first field of a message as JSON.
func firstField(t *testing.T, message string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(message))
	for range 2 { // a brace, and the name
		token, err := decoder.Token()
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		if name, ok := token.(string); ok {
			return name
		}
	}
	return ""
}
