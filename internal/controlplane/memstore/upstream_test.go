package memstore

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/apitesting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// These are the tests of k8s.io/apiserver for every implementation of its storage. They run
// without a transformer, as the API server does, and with one.

const transformerPrefix = "test!"

var upstream = []struct {
	name string
	run  func(s *testStore)
}{
	{"Create", func(s *testStore) {
		storagetesting.RunTestCreate(s.t.Context(), s.t, s, s.checkInvariants)
	}},
	{"CreateWithTTL", onInterface(storagetesting.RunTestCreateWithTTL)},
	{"CreateWithKeyExist", onInterface(storagetesting.RunTestCreateWithKeyExist)},
	{"Get", onInterface(storagetesting.RunTestGet)},
	{"UnconditionalDelete", onInterface(storagetesting.RunTestUnconditionalDelete)},
	{"ConditionalDelete", onInterface(storagetesting.RunTestConditionalDelete)},
	{"DeleteWithSuggestion", onInterface(storagetesting.RunTestDeleteWithSuggestion)},
	{"DeleteWithSuggestionAndConflict", onInterface(storagetesting.RunTestDeleteWithSuggestionAndConflict)},
	{"DeleteWithSuggestionOfDeletedObject", onInterface(storagetesting.RunTestDeleteWithSuggestionOfDeletedObject)},
	{"DeleteWithConflict", onInterface(storagetesting.RunTestDeleteWithConflict)},
	{"ValidateDeletionWithSuggestion", onInterface(storagetesting.RunTestValidateDeletionWithSuggestion)},
	{"ValidateDeletionWithOnlySuggestionValid", onInterface(storagetesting.RunTestValidateDeletionWithOnlySuggestionValid)},
	{"PreconditionalDeleteWithSuggestion", onInterface(storagetesting.RunTestPreconditionalDeleteWithSuggestion)},
	{"PreconditionalDeleteWithOnlySuggestionPass", onInterface(storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass)},
	{"List", func(s *testStore) {
		storagetesting.RunTestList(s.t.Context(), s.t, s, s.compactAsEtcd, true, storagetesting.NewKubernetesRecorder(nil))
	}},
	{"ConsistentList", func(s *testStore) {
		storagetesting.RunTestConsistentList(s.t.Context(), s.t, s, s.increaseRevision, false, true, true)
	}},
	{"GetListNonRecursive", func(s *testStore) {
		storagetesting.RunTestGetListNonRecursive(s.t.Context(), s.t, s.increaseRevision, s)
	}},
	{"GetListRecursivePrefix", onInterface(storagetesting.RunTestGetListRecursivePrefix)},
	{"GetListWithoutErrorAggregation", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestGetListWithoutErrorAggregation(s.t.Context(), s.t, s, errors.New("bits flipped"))
	}},
	{"ListPaging", onInterface(storagetesting.RunTestListPaging)},
	{"ListContinuation", func(s *testStore) {
		storagetesting.RunTestListContinuation(s.t.Context(), s.t, s, s.checkReads)
	}},
	{"ListPaginationRareObject", func(s *testStore) {
		storagetesting.RunTestListPaginationRareObject(s.t.Context(), s.t, s, s.checkReads)
	}},
	{"ListContinuationWithFilter", func(s *testStore) {
		storagetesting.RunTestListContinuationWithFilter(s.t.Context(), s.t, s, s.checkReads)
	}},
	{"ListInconsistentContinuation", func(s *testStore) {
		storagetesting.RunTestListInconsistentContinuation(s.t.Context(), s.t, &pagedStore{s}, s.compact)
	}},
	{"ListResourceVersionMatch", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestListResourceVersionMatch(s.t.Context(), s.t, s)
	}},
	{"NamespaceScopedList", onInterface(storagetesting.RunTestNamespaceScopedList)},
	{"GuaranteedUpdate", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestGuaranteedUpdate(s.t.Context(), s.t, s, s.checkInvariants)
	}},
	{"GuaranteedUpdateWithTTL", onInterface(storagetesting.RunTestGuaranteedUpdateWithTTL)},
	{"GuaranteedUpdateChecksStoredData", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestGuaranteedUpdateChecksStoredData(s.t.Context(), s.t, s)
	}},
	{"GuaranteedUpdateWithConflict", onInterface(storagetesting.RunTestGuaranteedUpdateWithConflict)},
	{"GuaranteedUpdateWithSuggestionAndConflict", onInterface(storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict)},
	{"TransformationFailure", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestTransformationFailure(s.t.Context(), s.t, s)
	}},
	{"Stats", func(s *testStore) {
		storagetesting.RunTestStats(s.t.Context(), s.t, s, s.codec, s.statsTransformer(), false)
	}},
	{"StatsWithSizes", func(s *testStore) {
		if err := s.EnableResourceSizeEstimation(func(context.Context) ([]string, error) { return nil, nil }); err != nil {
			s.t.Fatal(err)
		}
		storagetesting.RunTestStats(s.t.Context(), s.t, s, s.codec, s.statsTransformer(), true)
	}},
	{"CompactRevision", func(s *testStore) {
		storagetesting.RunTestCompactRevision(s.t.Context(), s.t, s, s.increaseRevision, s.compact)
	}},
	{"KeySchema", onInterface(storagetesting.RunTestKeySchema)},
	{"DeleteExpectingAnErrorThatIsMissing", func(s *testStore) {
		featuregatetesting.SetFeatureGateDuringTest(s.t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, true)
		storagetesting.RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError(s.t.Context(), s.t, s, s.setFailing)
	}},
	{"DeleteExpectingAnError", func(s *testStore) {
		featuregatetesting.SetFeatureGateDuringTest(s.t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, true)
		storagetesting.RunTestDeleteExpectedTransformOrDecodeError(s.t.Context(), s.t, s, s.setFailing)
	}},
	{"DeleteWithSuggestionExpectingAnErrorThatIsMissing", func(s *testStore) {
		featuregatetesting.SetFeatureGateDuringTest(s.t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, true)
		storagetesting.RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError(s.t.Context(), s.t, s)
	}},
	{"Watch", onInterface(storagetesting.RunTestWatch)},
	{"ClusterScopedWatch", onInterface(storagetesting.RunTestClusterScopedWatch)},
	{"NamespaceScopedWatch", onInterface(storagetesting.RunTestNamespaceScopedWatch)},
	{"DeleteTriggerWatch", onInterface(storagetesting.RunTestDeleteTriggerWatch)},
	{"WatchFromZero", func(s *testStore) {
		storagetesting.RunTestWatchFromZero(s.t.Context(), s.t, s, s.compact)
	}},
	{"WatchFromNonZero", onInterface(storagetesting.RunTestWatchFromNonZero)},
	{"DelayedWatchDelivery", onInterface(storagetesting.RunTestDelayedWatchDelivery)},
	{"WatchError", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunTestWatchError(s.t.Context(), s.t, s)
	}},
	{"WatchContextCancel", onInterface(storagetesting.RunTestWatchContextCancel)},
	{"WatcherTimeout", onInterface(storagetesting.RunTestWatcherTimeout)},
	{"WatchDeleteEventObjectHaveLatestRV", onInterface(storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV)},
	{"WatchInitializationSignal", onInterface(storagetesting.RunTestWatchInitializationSignal)},
	{"ProgressNotify", func(s *testStore) {
		storagetesting.RunOptionalTestProgressNotify(s.t.Context(), s.t, s, s.increaseRevision)
	}},
	{"WatchDispatchBookmarkEvents", func(s *testStore) {
		storagetesting.RunTestWatchDispatchBookmarkEvents(s.t.Context(), s.t, s, true)
	}},
	{"WatchBookmarksWithCorrectResourceVersion", onInterface(storagetesting.RunTestOptionalWatchBookmarksWithCorrectResourceVersion)},
	{"SendInitialEventsBackwardCompatibility", onInterface(storagetesting.RunSendInitialEventsBackwardCompatibility)},
	{"WatchSemantics", onInterface(storagetesting.RunWatchSemantics)},
	{"WatchSemanticInitialEventsExtended", onInterface(storagetesting.RunWatchSemanticInitialEventsExtended)},
	{"WatchListMatchSingle", onInterface(storagetesting.RunWatchListMatchSingle)},
	{"WatchErrorIsBlockingFurtherEvents", func(s *testStore) {
		s.needsTransformer()
		storagetesting.RunWatchErrorIsBlockingFurtherEvents(s.t.Context(), s.t, s)
	}},
}

func onInterface(run func(context.Context, *testing.T, storage.Interface)) func(*testStore) {
	return func(s *testStore) {
		run(s.t.Context(), s.t, s)
	}
}

func TestMain(m *testing.M) {
	leaks.Main(m)
}

func TestUpstream(t *testing.T) {
	for _, test := range upstream {
		t.Run(test.name, func(t *testing.T) {
			t.Run("plain", func(t *testing.T) {
				test.run(newTestStore(t, nil))
			})
			t.Run("transformed", func(t *testing.T) {
				test.run(newTestStore(t, storagetesting.NewPrefixTransformer([]byte(transformerPrefix), false)))
			})
		})
	}
}

var (
	exampleScheme = runtime.NewScheme()
	exampleCodecs = serializer.NewCodecFactory(exampleScheme)
)

func init() { //nolint:gochecknoinits // as schemes are made
	metav1.AddToGroupVersion(exampleScheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(exampleScheme))
	utilruntime.Must(examplev1.AddToScheme(exampleScheme))
}

// testStore is the storage of the example API's pods, with settings that the tests change.
type testStore struct {
	*resourceStore
	t     *testing.T
	codec *failingCodec
}

func newTestStore(t *testing.T, transformer value.Transformer) *testStore {
	t.Helper()
	return newTestStoreWith(t, transformer, Options{ProgressInterval: 100 * time.Millisecond, DetectMutations: true})
}

func newTestStoreWith(t *testing.T, transformer value.Transformer, options Options) *testStore {
	t.Helper()
	store := New(options)
	t.Cleanup(store.Close)
	return openTestStore(t, store, transformer)
}

func openTestStore(t *testing.T, store *Store, transformer value.Transformer) *testStore {
	t.Helper()
	return openTestResource(t, store, "/pods/", transformer)
}

func openTestResource(t *testing.T, store *Store, resourcePrefix string, transformer value.Transformer) *testStore {
	t.Helper()
	return openTestResourceWith(t, store, "", resourcePrefix, transformer)
}

func openTestResourceWith(t *testing.T, store *Store, prefix, resourcePrefix string, transformer value.Transformer) *testStore {
	t.Helper()
	codec := &failingCodec{Codec: apitesting.TestCodec(exampleCodecs, examplev1.SchemeGroupVersion)}
	config := storagebackend.NewDefaultConfig(prefix, codec).ForResource(schema.GroupResource{Resource: "pods"})
	config.Transformer = transformer
	opened, destroy, err := store.Decorate(config, resourcePrefix, nil,
		func() runtime.Object { return &example.Pod{} }, func() runtime.Object { return &example.PodList{} }, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(destroy)
	r, ok := opened.(*resourceStore)
	if !ok {
		t.Fatalf("the storage is a %T", opened)
	}
	return &testStore{resourceStore: r, t: t, codec: codec}
}

// pagedStore pages also lists at resource version 0, as the storage in etcd does and the
// API server with its cache does not. One upstream test relies on it.
type pagedStore struct {
	*testStore
}

// GetList implements storage.Interface.
func (s *pagedStore) GetList(ctx context.Context, key string, opts storage.ListOptions, listObj runtime.Object) error {
	if opts.ResourceVersion == "0" {
		opts.ResourceVersion = ""
	}
	return s.testStore.GetList(ctx, key, opts, listObj)
}

// failingCodec fails to decode while a test wants it to.
type failingCodec struct {
	runtime.Codec
	failing bool
}

func (c *failingCodec) Decode(
	data []byte, defaults *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	if c.failing {
		return nil, nil, errors.New("this test wants decoding to fail")
	}
	return c.Codec.Decode(data, defaults, into)
}

func (s *testStore) setFailing(failing bool) {
	s.codec.failing = failing
}

func (s *testStore) needsTransformer() {
	if s.transformer == nil {
		s.t.Skip("this test changes the transformer")
	}
}

func (s *testStore) statsTransformer() value.Transformer {
	if s.transformer == nil {
		return identity.NewEncryptCheckTransformer()
	}
	return s.transformer
}

// UpdatePrefixTransformer implements storagetesting.InterfaceWithPrefixTransformer.
func (s *testStore) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	return s.UpdateTransformer(func(value.Transformer) value.Transformer {
		original, _ := s.transformer.(*storagetesting.PrefixTransformer)
		modified := *original
		return modify(&modified)
	})
}

// UpdateTransformer implements storagetesting.InterfaceWithTransformerOverride.
func (s *testStore) UpdateTransformer(modify storagetesting.TransformerModifier) func() {
	original := s.transformer
	s.transformer = modify(original)
	return func() { s.transformer = original }
}

// checkInvariants checks that an object is stored without the fields that the store sets on
// each read.
func (s *testStore) checkInvariants(_ context.Context, t *testing.T, key string) {
	t.Helper()
	rec, _ := s.store.get(key)
	if rec == nil {
		t.Fatalf("nothing is stored at %s", key)
	}
	obj, err := runtime.Decode(s.codec, bytes.TrimPrefix(rec.data, []byte(transformerPrefix)))
	if err != nil {
		t.Fatal(err)
	}
	pod, _ := obj.(*example.Pod)
	if pod.GetResourceVersion() != "" || pod.GetSelfLink() != "" {
		t.Errorf("stored with resource version %q and self link %q", pod.GetResourceVersion(), pod.GetSelfLink())
	}
}

func (s *testStore) compact(_ context.Context, t *testing.T, resourceVersion string) {
	t.Helper()
	revision, err := s.versioner.ParseResourceVersion(resourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.Compact(int64(revision)); err != nil { //nolint:gosec // revisions are small
		t.Fatal(err)
	}
}

// compactAsEtcd also makes a write, as compaction in etcd does.
func (s *testStore) compactAsEtcd(ctx context.Context, t *testing.T, resourceVersion string) {
	t.Helper()
	s.compact(ctx, t, resourceVersion)
	s.increaseRevision(ctx, t)
}

// increaseRevision makes a write that has nothing to do with the pods.
func (s *testStore) increaseRevision(_ context.Context, t *testing.T) int64 {
	t.Helper()
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.revision++
	return s.store.revision
}

// checkReads checks how many objects were decoded.
func (s *testStore) checkReads(t *testing.T, _, objects uint64) {
	t.Helper()
	transformer, ok := s.transformer.(*storagetesting.PrefixTransformer)
	if !ok {
		return
	}
	if reads := transformer.GetReadsAndReset(); reads != objects {
		t.Errorf("%d objects were read, want %d", reads, objects)
	}
}
