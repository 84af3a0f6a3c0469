package embedded_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// BenchmarkCreate is the price of a directory, for one client in this process and for many.
func BenchmarkCreate(b *testing.B) {
	for _, kept := range []bool{false, true} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("kept=%t/writers=%d", kept, writers), func(b *testing.B) {
				c := start(b, controlplane.Options{Dir: filepath.Join(b.TempDir(), "cp"), KeepData: kept, NoControllers: true})
				config := c.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup)
				maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(metav1.NamespaceDefault)
				var n atomic.Int64
				b.SetParallelism(writers)
				if writers == 1 {
					for b.Loop() {
						create(b, maps, n.Add(1))
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						create(b, maps, n.Add(1))
					}
				})
			})
		}
	}
}

func create(b *testing.B, maps corev1client.ConfigMapInterface, n int64) {
	b.Helper()
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("map-", n)}, Data: map[string]string{"key": "value"}}
	if _, err := maps.Create(b.Context(), made, metav1.CreateOptions{}); err != nil {
		b.Error(err)
	}
}
