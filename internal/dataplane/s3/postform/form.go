package postform

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

const (
	// MaxFieldBytes is S3's maximum size of everything before the file, in bytes.
	MaxFieldBytes = 20 << 10
	// lookahead is the part of the file that package multipart may already have read.
	lookahead = 5 << 10
	// maxBoundary is from RFC 2046, section 5.1.1.
	maxBoundary = 70
)

var errTooLong = s3error.ErrMaxPostPreDataLengthExceeded.About("MaxPostPreDataLengthBytes", strconv.Itoa(MaxFieldBytes))

// Form is a form whose fields before the file have been read. Later fields are ignored.
type Form struct {
	// Fields are by name in lower case. The name of the file has replaced ${filename}.
	Fields map[string]string
	// File is the unread content of the file. Its errors are S3's, or the body's.
	File io.Reader
}

// Is reports whether a request is a form with a file.
func Is(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return r.Method == http.MethodPost && strings.EqualFold(strings.TrimSpace(kind), "multipart/form-data")
}

// Read reads a form up to its file. At most MaxFieldBytes are held in memory. Errors are S3's, or
// the body's.
func Read(r *http.Request) (*Form, error) {
	if r.ContentLength < 0 {
		return nil, s3error.ErrMissingContentLength
	}
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	boundary := parameters["boundary"]
	if err != nil || boundary == "" || len(boundary) > maxBoundary {
		return nil, s3error.ErrMalformedPOSTRequest
	}
	body := &source{in: r.Body, left: MaxFieldBytes + lookahead}
	f := &Form{Fields: map[string]string{}}
	name, err := f.read(multipart.NewReader(body, boundary), body)
	if err != nil {
		return nil, body.explain(err)
	}
	if err := f.expand(name); err != nil {
		return nil, err
	}
	return f, nil
}

const variable = "${filename}"

// expand replaces the variable in all fields. The result is limited, too.
func (f *Form) expand(name string) error {
	bytes := 0
	for field, value := range f.Fields {
		bytes += len(value) + strings.Count(value, variable)*len(name)
		if bytes > MaxFieldBytes {
			return errTooLong
		}
		if field != "policy" {
			f.Fields[field] = strings.ReplaceAll(value, variable, name)
		}
	}
	return nil
}

// read reads the fields, and returns the name of the file.
func (f *Form) read(parts *multipart.Reader, body *source) (string, error) {
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return "", s3error.ErrInvalidArgument.With("POST requires exactly one file upload per request.").
				About("ArgumentName", "file").About("ArgumentValue", "0")
		}
		if err != nil {
			return "", err
		}
		switch name := strings.ToLower(part.FormName()); name {
		case "":
			return "", s3error.ErrMalformedPOSTRequest
		case "file":
			body.left = -1
			f.File = &file{part, body}
			return fileName(part), nil
		default:
			if err := f.add(name, part); err != nil {
				return "", err
			}
		}
	}
}

func (f *Form) add(name string, value io.Reader) error {
	if _, twice := f.Fields[name]; twice {
		return s3error.ErrInvalidArgument.With("The form has the field more than once").About("ArgumentName", name)
	}
	text, err := io.ReadAll(value)
	f.Fields[name] = string(text)
	return err
}

// Required returns a field that the form must have.
func (f *Form) Required(name string) (string, error) {
	value, given := f.Fields[strings.ToLower(name)]
	if !given {
		return "", s3error.ErrInvalidArgument.With("Bucket POST must contain a field named '"+name+
			"'.  If it is specified, please check the order of the fields.").About("ArgumentName", name).About("ArgumentValue", "")
	}
	return value, nil
}

// fileName returns the name of the file without directories, which some browsers send in Windows'
// form.
func fileName(part *multipart.Part) string {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	name := parameters["filename"]
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// source is the body of a form. It limits the part before the file.
type source struct {
	in   io.Reader
	left int   // bytes; negative for no limit
	err  error // other than io.EOF
}

func (s *source) Read(buffer []byte) (int, error) {
	switch {
	case s.left == 0:
		s.err = errTooLong
		return 0, s.err
	case s.left > 0 && len(buffer) > s.left:
		buffer = buffer[:s.left]
	}
	n, err := s.in.Read(buffer)
	if s.left > 0 {
		s.left -= n
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// explain returns the cause of an unreadable form: its body failed, or is no form.
func (s *source) explain(err error) error {
	if s.err != nil {
		return s.err
	}
	if found, ok := errors.AsType[*s3error.Error](err); ok {
		return found
	}
	return s3error.ErrMalformedPOSTRequest
}

type file struct {
	part *multipart.Part
	body *source
}

func (f *file) Read(buffer []byte) (int, error) {
	n, err := f.part.Read(buffer)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.body.explain(err)
	}
	return n, err
}
