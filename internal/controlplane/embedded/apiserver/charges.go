package apiserver

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// charges are the counts of quotas that a request has raised. The object may still be rejected after
// that, for instance because one of its name exists.
type charges struct{ all []charge }

type charge struct {
	quota       *corev1.ResourceQuota
	constraints []corev1.ResourceName
}

type chargesKey struct{}

// chargesOf returns the charges of a request; nil outside of withRefund.
func chargesOf(ctx context.Context) *charges {
	found, _ := ctx.Value(chargesKey{}).(*charges)
	return found
}

func (c *charges) add(quota *corev1.ResourceQuota, constraints []corev1.ResourceName) {
	if c != nil {
		c.all = append(c.all, charge{quota, constraints})
	}
}

// withRefund lowers the counts of quotas again if the request fails after it has raised them. A
// kube-apiserver leaves that to the next look of its controller manager, after minutes.
func withRefund(handler http.Handler, quotas quotaStore) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		creates := r.Method == http.MethodPost || r.Method == http.MethodPatch || r.Method == http.MethodPut
		if !creates || IsStream(r) {
			handler.ServeHTTP(w, r)
			return
		}
		raised := &charges{}
		r = r.WithContext(context.WithValue(r.Context(), chargesKey{}, raised))
		handler.ServeHTTP(&statusWriter{w, func(ctx context.Context) { raised.refund(ctx, quotas) }, r}, r)
	})
}

// refund lowers the counts. An error leaves them, until the controller counts the objects again.
func (c *charges) refund(ctx context.Context, quotas quotaStore) {
	for _, charged := range c.all {
		_ = quotas.UpdateQuota(ctx, charged.quota, func(quota *corev1.ResourceQuota) error {
			for _, name := range charged.constraints {
				if used, known := quota.Status.Used[name]; known && used.Sign() > 0 {
					used.Sub(resource.MustParse("1"))
					quota.Status.Used[name] = used
				}
			}
			return nil
		})
	}
	c.all = nil
}

// statusWriter learns of an error before the client does.
type statusWriter struct {
	http.ResponseWriter

	rejected func(context.Context)
	request  *http.Request
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.rejected(context.WithoutCancel(w.request.Context())) // the client may be gone
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
