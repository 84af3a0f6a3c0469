package binaries

import (
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// Kinds of problems with a program's file. A ProgramError wraps one of them.
var (
	ErrNotFound      = errors.New("the file does not exist")
	ErrNotExecutable = errors.New("the file is not an executable program")
	ErrWrongPlatform = errors.New("the program is for another platform")
	ErrIncomplete    = errors.New("the file is incomplete")
)

// ProgramError is a problem with a program's file.
type ProgramError struct {
	// Path is the file.
	Path string
	// Err is one of the errors above, or an error of the file system.
	Err error
	// Detail has details, for example the expected and the actual platform. It may be empty.
	Detail string
}

func (e *ProgramError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Path, e.Err)
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

func (e *ProgramError) Unwrap() error { return e.Err }

// CheckProgram reports, as a *ProgramError, that the file at path cannot be a program for this
// machine: it is missing, not executable, for another operating system or processor, or shorter
// than its headers require. It reads only the headers. A script passes, because distributions wrap
// programs in scripts.
func CheckProgram(path string) error { return checkProgram(path, thisPlatform) }

func checkProgram(path string, want versions.Platform) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &ProgramError{Path: path, Err: ErrNotFound}
	}
	if err != nil {
		return &ProgramError{Path: path, Err: err}
	}
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	if err != nil {
		return &ProgramError{Path: path, Err: err}
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return &ProgramError{Path: path, Err: ErrNotExecutable, Detail: "mode " + info.Mode().String()}
	}
	return checkHeader(path, file, info.Size(), want)
}

func checkHeader(path string, file io.ReaderAt, size int64, want versions.Platform) error {
	magic := make([]byte, 4)
	if _, err := file.ReadAt(magic, 0); err != nil {
		return &ProgramError{Path: path, Err: ErrIncomplete, Detail: fmt.Sprintf("%d bytes", size)}
	}
	if string(magic[:2]) == "#!" {
		return nil
	}
	found, err := readImages(file, magic)
	if err != nil {
		return &ProgramError{Path: path, Err: ErrIncomplete, Detail: err.Error()}
	}
	if len(found) == 0 {
		return &ProgramError{Path: path, Err: ErrNotExecutable, Detail: "neither ELF nor Mach-O"}
	}
	for _, image := range found {
		if image.platform != want {
			continue
		}
		if image.end > uint64(size) { //nolint:gosec // no size is negative
			return &ProgramError{Path: path, Err: ErrIncomplete, Detail: fmt.Sprintf("%d of %d bytes", size, image.end)}
		}
		return nil
	}
	return &ProgramError{Path: path, Err: ErrWrongPlatform, Detail: fmt.Sprintf("expected %s, found %s", want, found[0].platform)}
}

// readImages returns the programs in an executable file: one, or several in Apple's universal
// format, or none for other files.
func readImages(file io.ReaderAt, magic []byte) ([]image, error) {
	switch {
	case string(magic) == elf.ELFMAG:
		return readELF(file)
	case isMachO(magic, macho.MagicFat):
		return readUniversal(file)
	case isMachO(magic, macho.Magic32), isMachO(magic, macho.Magic64):
		return readMachO(file)
	}
	return nil, nil
}
