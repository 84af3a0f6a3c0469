package memstore

import (
	"bytes"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sharedObject is the object of an event, for all watchers of a resource store. It is
// encoded once for each format that they ask for, and is immutable. The API server's cache
// sends its events in the same way.
type sharedObject struct {
	object runtime.Object

	mu        sync.Mutex
	encodings map[runtime.Identifier]*encoding
}

type encoding struct {
	once sync.Once
	data []byte
	err  error
}

var (
	_ runtime.CacheableObject   = (*sharedObject)(nil)
	_ metav1.ObjectMetaAccessor = (*sharedObject)(nil)
)

func newSharedObject(object runtime.Object) *sharedObject {
	return &sharedObject{object: object, encodings: map[runtime.Identifier]*encoding{}}
}

// CacheEncode implements runtime.CacheableObject.
func (o *sharedObject) CacheEncode(id runtime.Identifier, encode func(runtime.Object, io.Writer) error, w io.Writer) error {
	o.mu.Lock()
	e, ok := o.encodings[id]
	if !ok {
		e = &encoding{}
		o.encodings[id] = e
	}
	o.mu.Unlock()
	e.once.Do(func() {
		var buffer bytes.Buffer
		e.err = encode(o.GetObject(), &buffer) // a copy: encoders set the kind while they encode
		e.data = buffer.Bytes()
	})
	if e.err != nil {
		return e.err
	}
	if splice, ok := w.(runtime.Splice); ok {
		splice.Splice(e.data)
		return nil
	}
	_, err := w.Write(e.data)
	return err
}

// GetObject implements runtime.CacheableObject. It returns a copy.
func (o *sharedObject) GetObject() runtime.Object {
	return o.object.DeepCopyObject()
}

// GetObjectMeta returns the metadata of a copy.
func (o *sharedObject) GetObjectMeta() metav1.Object {
	object, err := meta.Accessor(o.GetObject())
	if err != nil {
		return nil
	}
	return object
}

// GetObjectKind implements runtime.Object.
func (o *sharedObject) GetObjectKind() schema.ObjectKind {
	return o.object.GetObjectKind()
}

// DeepCopyObject implements runtime.Object.
func (o *sharedObject) DeepCopyObject() runtime.Object {
	return o.GetObject()
}
