package fault_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		match  fault.Match
		effect fault.Effect
		want   string // part of the error; empty if it is valid
	}{
		"NoSeam":      {effect: hang, want: `the seam is ""`},
		"LogSeam":     {match: fault.Match{Seam: journal.SeamLog}, effect: hang, want: `the seam is "log"`},
		"NoEffect":    {match: fault.Match{Seam: "rpc"}, want: "needs one of fail, loseReply, delay, hang"},
		"Two":         {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Hang: true, Empty: true}, want: "hang and empty"},
		"DelayBeside": {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Delay: 1, Empty: true}},
		"WrongSeam": {
			match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Stale: 1}, want: "stale does not exist at seam rpc, which has fail",
		},
		"NotAtStore":  {match: fault.Match{Seam: "store"}, effect: fault.Effect{Empty: true}, want: "empty does not exist at seam store"},
		"NotOfEvents": {match: fault.Match{Seam: "api", Operation: "event buckets"}, effect: hang, want: "hang does not exist for events"},
		"OnlyOfEvents": {
			match: fault.Match{Seam: "api", Operation: "watch buckets"}, effect: fault.Effect{Drop: true},
			want: `should be "event buckets"`,
		},
		"Events":    {match: fault.Match{Seam: "api", Operation: "event buckets"}, effect: fault.Effect{Drop: true}},
		"Reason":    {match: fault.Match{Seam: "api"}, effect: fault.Effect{Fail: "Conflict"}},
		"Status":    {match: fault.Match{Seam: "api"}, effect: fault.Effect{Fail: "429", RetryAfter: time.Second}},
		"StatusOK":  {match: fault.Match{Seam: "api"}, effect: fault.Effect{Fail: "200"}, want: "400 to 599"},
		"RPCCode":   {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{LoseReply: "DeadlineExceeded"}},
		"RPCOK":     {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Fail: "OK"}, want: "no error code of gRPC"},
		"S3":        {match: fault.Match{Seam: "store"}, effect: fault.Effect{Fail: "SlowDown"}},
		"S3Unknown": {match: fault.Match{Seam: "store"}, effect: fault.Effect{Fail: "Slow"}, want: "SlowDown"},
		"Own":       {match: fault.Match{Seam: "store", Operation: "AdminCreateBucket"}, effect: fault.Effect{Fail: "Conflict"}},
		"OwnNot": {
			match: fault.Match{Seam: "store", Operation: "PutObject"}, effect: fault.Effect{Fail: "Conflict"},
			want: "driver's own calls",
		},
		"OwnCut":     {match: fault.Match{Seam: "store", Operation: "AdminGetBucket"}, effect: fault.Effect{Cut: 1}, want: "have none"},
		"Crash":      {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Crash: "during"}, want: "before or after"},
		"Outage":     {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Outage: "kubelet"}, want: "kube-apiserver or etcd"},
		"Negative":   {match: fault.Match{Seam: "rpc", Nth: -1}, effect: hang, want: "not be negative"},
		"RetryAfter": {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Fail: "Internal", RetryAfter: 1}, want: "at seam api"},
		"Down":       {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Hang: true, Down: 1}, want: "down needs crash"},
		"AsOf":       {match: fault.Match{Seam: "api"}, effect: fault.Effect{Lag: true, AsOf: "early"}},
		"AsOfAlone":  {match: fault.Match{Seam: "api"}, effect: fault.Effect{Stale: 1, AsOf: "early"}, want: "asOf needs lag"},
		"SwapFirst":  {match: fault.Match{Seam: "rpc", Nth: 1}, effect: fault.Effect{Swap: true}, want: "2 or more"},
		"Process": {
			match: fault.Match{Seam: "process", Operation: "stop"}, effect: fault.Effect{Delay: 1}, want: "only the operation start",
		},
		"SetAnywhere": {match: fault.Match{Seam: "rpc"}, effect: fault.Effect{Set: map[string]any{"a": 1}}, want: "set needs an operation"},
		"SetUnknown":  {match: createBucket, effect: fault.Effect{Set: map[string]any{"bucket": "x"}}, want: `unknown field "bucket"`},
		"SetWrongType": {
			match: createBucket, effect: fault.Effect{Set: map[string]any{"protocols.s3.region": 7}}, want: "protocols.s3.region",
		},
		"StaleWrite": {
			match: fault.Match{Seam: "api", Operation: "patch buckets"}, effect: fault.Effect{Stale: 1}, want: "which are get and list",
		},
		"StaleList":  {match: fault.Match{Seam: "api", Operation: "list buckets"}, effect: fault.Effect{Stale: 1}},
		"StaleAny":   {match: fault.Match{Seam: "api", Operation: "* buckets"}, effect: fault.Effect{Stale: 1}},
		"Forget":     {match: createBucket, effect: fault.Effect{Crash: fault.After, Forget: true}},
		"ForgetWhat": {match: createBucket, effect: fault.Effect{Hang: true, Forget: true}, want: "forget needs crash"},
		"Lease":      {match: createBucket, effect: fault.Effect{LoseLease: time.Second}},
		"LeaseParts": {match: createBucket, effect: fault.Effect{LoseLease: time.Millisecond}, want: "must be whole seconds"},
		"LeaseStore": {match: fault.Match{Seam: "store"}, effect: fault.Effect{LoseLease: time.Second}, want: "does not exist at seam store"},
		"ClockBack":  {match: fault.Match{Seam: "process"}, effect: fault.Effect{Clock: -time.Hour}},
		"UploadDriver": {
			match: fault.Match{Seam: "store", Operation: "AdminPutAccount"}, effect: fault.Effect{FlipUpload: 1}, want: "the driver's own calls",
		},
		"UploadRead": {
			match: fault.Match{Seam: "store", Operation: "GetObject"}, effect: fault.Effect{CutUpload: 1}, want: "requests of GetObject have none",
		},
		"UploadElsewhere": {match: createBucket, effect: fault.Effect{CutUpload: 1}, want: "does not exist at seam rpc"},
		"UploadPut":       {match: fault.Match{Seam: "store", Operation: "PutObject"}, effect: fault.Effect{CutUpload: 1}},
		"UploadNegative":  {match: fault.Match{Seam: "store"}, effect: fault.Effect{FlipUpload: -1}, want: "must not be negative"},
		"SetPath":         {match: createBucket, effect: fault.Effect{Set: map[string]any{"protocols.s3.region": "", "protocols.gcs": nil}}},
		"SetPathUnseen":   {match: createBucket, effect: fault.Effect{Set: map[string]any{"protocols.s4.region": ""}}, want: "s4"},
		"SetNoItem":       {match: createBucket, effect: fault.Effect{Set: map[string]any{"protocols.3": ""}}, want: "protocols"},
		"SetItem": {
			match:  fault.Match{Seam: "rpc", Operation: "DriverGrantBucketAccess"},
			effect: fault.Effect{Set: map[string]any{"buckets.1.bucket_id": "x"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := fault.Fault{Name: "f", Match: tc.match, Effect: tc.effect}.Validate()
			if tc.want == "" {
				if err != nil {
					t.Errorf("Validate() = %v, want no error", err)
				}
				return
			}
			if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Validate() = %v, want ErrInvalid that says %q", err, tc.want)
			}
		})
	}
	if err := (fault.Fault{Match: fault.Match{Seam: "rpc"}, Effect: hang}).Validate(); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("without a name: %v, want ErrInvalid", err)
	}
}

var createBucket = fault.Match{Seam: journal.SeamRPC, Operation: "DriverCreateBucket"}

func TestJSON(t *testing.T) {
	want := fault.Fault{Name: "f", Match: createBucket, Effect: fault.Effect{
		Set: map[string]any{"protocols": "x"}, Delay: time.Second,
	}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got fault.Fault
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("through %s: -want, +got:\n%s", data, diff)
	}
}

func TestText(t *testing.T) {
	for want, effect := range map[string]fault.Effect{
		"fail 429 retryAfter 2s": {Fail: "429", RetryAfter: 2 * time.Second},
		"crash before down 1s":   {Crash: fault.Before, Down: time.Second},
		"hang delay 1s":          {Hang: true, Delay: time.Second},
		"delay 1s":               {Delay: time.Second},
		"stale 2":                {Stale: 2},
		"clock -1h0m0s":          {Clock: -time.Hour},
		"loseLease 5s":           {LoseLease: 5 * time.Second},
		"cutUpload 3":            {CutUpload: 3},
		"crash after forget":     {Crash: fault.After, Forget: true},
		"set a, b":               {Set: map[string]any{"b": 1, "a": 2}},
		"none":                   {},
	} {
		if got := effect.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
	match := fault.Match{Seam: journal.SeamAPI, Operation: "get buckets", Nth: 2, Since: "m"}
	if got, want := match.String(), "api * get buckets * nth 2 since m"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}
