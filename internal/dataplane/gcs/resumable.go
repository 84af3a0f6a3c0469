package gcs

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// quantum is the size of which every chunk but the last is a multiple.
const quantum = 256 << 10

// beginUpload starts a resumable upload. Unlike Google's, its URL does not work without a token.
func (s *Service) beginUpload(x *exchange) error {
	in, err := incomingOf(x, x.body.document.Bytes(), x.R.Header.Get("X-Upload-Content-Type"))
	if err != nil {
		return err
	}
	length, err := number(x.R.Header.Get("X-Upload-Content-Length"))
	switch {
	case err != nil:
		return failure.ErrInvalid.With("The header X-Upload-Content-Length must be a number")
	case length != nil && *length > s.options.MaxBodyBytes:
		return failure.ErrTooLarge
	case length != nil:
		in.Length = *length
	}
	id, err := s.begin(x.bucket, session{incoming: in, Key: x.Caller.Account().AccessKeyID})
	if err != nil {
		return err
	}
	query := url.Values{"uploadType": {"resumable"}, "upload_id": {id}, "name": {in.Name}}
	x.W.Header().Set("Location", x.Base()+"/upload/storage/v1/b/"+url.PathEscape(in.Bucket)+"/o?"+query.Encode())
	x.W.Header().Set("X-Guploader-Uploadid", id)
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// continueUpload receives a chunk, or returns the progress.
func (s *Service) continueUpload(x *exchange) error {
	err := s.receiveChunk(x)
	if objects.IsGone(err) { // it ended meanwhile: the client has repeated its request too early
		err = s.receiveChunk(x)
	}
	return err
}

func (s *Service) receiveChunk(x *exchange) error {
	found, err := s.session(x)
	if err != nil {
		return err
	}
	if found.ended != nil {
		return x.respondAgain(found)
	}
	chunk, err := chunkOf(x.R.Header.Get("Content-Range"), x.body.content.Size())
	if err != nil {
		return err
	}
	if err := chunk.check(found.Length); err != nil {
		return err
	}
	progress, err := x.bucket.Append(found.Name, found.id, chunk.first, s.options.MaxBodyBytes, x.body.content)
	if err != nil {
		return err
	}
	switch {
	case chunk.total < 0 || progress.Size < chunk.total:
		return x.sendProgress(progress.Size)
	case progress.Size > chunk.total:
		return failure.ErrInvalid.With("More bytes have been received than Content-Range declares")
	}
	return s.endUpload(x, found)
}

// endUpload stores an object from the received bytes. The upload ends even if the object is
// rejected.
func (s *Service) endUpload(x *exchange, found session) error {
	in := found.incoming
	httpserver.NoteStored(x.R.Context(), in.Name)
	var made *object
	_, err := x.bucket.CompleteAppended(in.Name, found.id, in.conditions(), func(content objects.Body) (objects.Draft, error) {
		sums, err := declared(x.R.Header, in.Document)
		if err != nil {
			return objects.Draft{}, err
		}
		in.sums = sums
		computed, err := sumsOf(content)
		if err != nil {
			return objects.Draft{}, err
		}
		return s.draft(in, content, computed)
	}, func(v *objects.Version) (_ string, err error) {
		if made, err = objectOf(in.Bucket, v); err != nil {
			return "", err
		}
		return (&ending{Object: &made.attributes}).text()
	})
	switch {
	case objects.IsGone(err):
		return err
	case err != nil:
		return endRejected(x.bucket, found, err)
	case found.XML:
		return x.sendCreated(&made.attributes)
	}
	return x.sendObject(made)
}

// sendProgress returns the number of received bytes. Clients that cannot handle status 308 announce
// this.
func (x *exchange) sendProgress(have int64) error {
	if have > 0 {
		x.W.Header().Set("Range", "bytes=0-"+strconv.FormatInt(have-1, 10))
	}
	x.W.Header().Set("Content-Length", "0")
	status := http.StatusPermanentRedirect
	if x.R.Header.Get("X-Guploader-No-308") != "" {
		x.W.Header().Set("X-Http-Status-Code-Override", "308")
		status = http.StatusOK
	}
	x.W.WriteHeader(status)
	return nil
}

// chunk is a part of an upload, from the header Content-Range.
type chunk struct {
	first, size int64
	total       int64 // -1 if unknown
	// streamed means that the client did not know the size in advance.
	streamed bool
}

// chunkOf parses "bytes 0-9/20", "bytes 0-9/*", "bytes 0-*/20", "bytes 0-*/*", "bytes */20" and
// "bytes */*". Without the header, the chunk is the whole content. "bytes 0-*/*" is the rest of it.
func chunkOf(header string, size int64) (chunk, error) {
	if header == "" {
		return chunk{size: size, total: size}, nil
	}
	c := chunk{total: -1, size: size}
	value, ok := strings.CutPrefix(header, "bytes ")
	span, end, found := strings.Cut(value, "/")
	if !ok || !found {
		return c, errRange
	}
	if end != "*" {
		total, err := number(end)
		if err != nil || total == nil {
			return c, errRange
		}
		c.total = *total
	}
	from, streamed := strings.CutSuffix(span, "-*")
	if c.streamed = streamed; streamed {
		first, err := number(from)
		if err != nil || first == nil {
			return c, errRange
		}
		if c.first = *first; c.total < 0 {
			c.total = c.first + size
		}
		return c, nil
	}
	first, err := firstOf(span, size)
	c.first = first
	return c, err
}

// check compares a chunk with the length that the first request has declared, 0 for none, and
// rejects a part of a quantum before the end.
func (c chunk) check(declared int64) error {
	end := c.first + c.size
	switch {
	case c.total >= 0 && c.size > 0 && end > c.total:
		return failure.ErrInvalid.With("The body is longer than Content-Range declares")
	case declared > 0 && c.total >= 0 && c.total != declared:
		return failure.ErrInvalid.With(fmt.Sprintf("Content-Range declares %d bytes, and X-Upload-Content-Length declared %d", c.total, declared))
	case c.size%quantum != 0 && end != c.total && !c.streamed:
		return failure.ErrInvalid.With(fmt.Sprintf("The chunk has %d bytes: every chunk but the last must have a multiple of %d bytes, "+
			"and Content-Range of the last must declare the size of the object", c.size, quantum))
	}
	return nil
}

// endsUpload reports whether a request with this header Content-Range stores the object if it
// succeeds. Others may store it, too: one without content, such as "bytes */20", does so if all
// bytes have been received, and otherwise requests the progress.
func endsUpload(header string) bool {
	if header == "" {
		return true
	}
	span, end, _ := strings.Cut(strings.TrimPrefix(header, "bytes "), "/")
	_, to, _ := strings.Cut(span, "-")
	if to == "*" {
		return true
	}
	last, err := number(to)
	total, totalErr := number(end)
	return err == nil && totalErr == nil && last != nil && total != nil && *last == *total-1
}

var errRange = failure.ErrInvalid.With("Content-Range is not valid, or does not match the body")

// firstOf parses "0-9", or "*" for an empty body.
func firstOf(span string, size int64) (int64, error) {
	if span == "*" && size == 0 {
		return 0, nil
	}
	from, to, _ := strings.Cut(span, "-")
	first, err := number(from)
	last, lastErr := number(to)
	if err != nil || lastErr != nil || first == nil || last == nil || *last-*first != size-1 {
		return 0, errRange
	}
	return *first, nil
}
