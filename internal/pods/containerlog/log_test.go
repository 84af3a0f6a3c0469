package containerlog

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func newLog(t *testing.T) *Log {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); err != nil || n != len(text) {
		t.Fatalf("wrote %d bytes of %d: %v", n, len(text), err)
	}
}

// Pod: POD-LOGS-1
func TestRead(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	out, errs := l.Writer(), l.Writer()
	write(t, out, "one\ntw")
	write(t, errs, "warning\n")
	write(t, out, "o\n\nrest")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		options corev1.PodLogOptions
		want    string
	}{
		"All":         {corev1.PodLogOptions{}, "one\nwarning\ntwo\n\nrest\n"},
		"Tail":        {corev1.PodLogOptions{TailLines: new(int64(2))}, "\nrest\n"},
		"NoTail":      {corev1.PodLogOptions{TailLines: new(int64(0))}, ""},
		"LongTail":    {corev1.PodLogOptions{TailLines: new(int64(99))}, "one\nwarning\ntwo\n\nrest\n"},
		"Limit":       {corev1.PodLogOptions{LimitBytes: new(int64(6))}, "one\nwa"},
		"LimitedTail": {corev1.PodLogOptions{TailLines: new(int64(3)), LimitBytes: new(int64(4))}, "two\n"},
		"Later":       {corev1.PodLogOptions{SinceTime: &metav1.Time{Time: time.Now().Add(time.Hour)}}, ""},
		"Earlier":     {corev1.PodLogOptions{SinceSeconds: new(int64(3600)), TailLines: new(int64(1))}, "rest\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			err := l.Read(t.Context(), &test.options, &got)
			if diff := cmp.Diff(test.want, got.String()); diff != "" || err != nil {
				t.Errorf("error %v; lines (-want +got):\n%s", err, diff)
			}
		})
	}
	var got bytes.Buffer
	if err := l.Read(t.Context(), &corev1.PodLogOptions{Timestamps: true, TailLines: new(int64(1))}, &got); err != nil {
		t.Fatal(err)
	}
	if form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z rest\n$`); !form.MatchString(got.String()) {
		t.Errorf("a line with its time: %q, want %s", got.String(), form)
	}
}

// TestFollow follows a log across a rotation until it ends.
func TestFollow(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	out := l.Writer()
	write(t, out, "first\n")
	pipe, end := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := l.Read(t.Context(), &corev1.PodLogOptions{Follow: true}, end)
		done <- end.CloseWithError(err)
	}()
	first := make([]byte, len("first\n"))
	if _, err := io.ReadFull(pipe, first); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(&all, pipe)
		read <- err
	}()
	long := strings.Repeat("x", lineLimit-1) + "\n"
	const lines = fileLimit/lineLimit + 10
	for range lines {
		write(t, out, long)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if want := strings.Repeat(long, lines); all.String() != want {
		t.Errorf("followed %d bytes, want %d", all.Len(), len(want))
	}
}

// TestLongLine divides a line without an end.
func TestLongLine(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	out := l.Writer()
	write(t, out, strings.Repeat("a", 2*lineLimit+1))
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := l.Read(t.Context(), &corev1.PodLogOptions{}, &got); err != nil {
		t.Fatal(err)
	}
	var lengths []int
	for line := range strings.Lines(got.String()) {
		lengths = append(lengths, len(line)-1)
	}
	if diff := cmp.Diff([]int{lineLimit, lineLimit, 1}, lengths); diff != "" {
		t.Errorf("lengths of the lines (-want +got):\n%s", diff)
	}
}
