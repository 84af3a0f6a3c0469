package binaries

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"io"
	"strings"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// image describes one program in an executable file, according to its headers.
type image struct {
	platform versions.Platform
	end      uint64 // minimum size of a complete file
}

// elfArchs maps processors of ELF to Go's names.
var elfArchs = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}

func readELF(file io.ReaderAt) ([]image, error) {
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	arch, ok := elfArchs[f.Machine]
	if !ok {
		arch = strings.ToLower(strings.TrimPrefix(f.Machine.String(), "EM_"))
	}
	img := image{platform: versions.Platform{OS: elfSystem(f), Arch: arch}}
	for _, prog := range f.Progs {
		img.end = max(img.end, prog.Off+prog.Filesz)
	}
	for _, section := range f.Sections {
		if section.Type != elf.SHT_NOBITS {
			img.end = max(img.end, section.Offset+section.FileSize)
		}
	}
	return []image{img}, nil
}

// elfSystem returns the operating system of an ELF file: for Linux the field is
// usually empty.
func elfSystem(f *elf.File) string {
	if f.OSABI == elf.ELFOSABI_NONE || f.OSABI == elf.ELFOSABI_LINUX {
		return "linux"
	}
	return strings.ToLower(strings.TrimPrefix(f.OSABI.String(), "ELFOSABI_"))
}

func isMachO(magic []byte, want uint32) bool {
	return binary.BigEndian.Uint32(magic) == want || binary.LittleEndian.Uint32(magic) == want
}

func readMachO(file io.ReaderAt) ([]image, error) {
	f, err := macho.NewFile(file)
	if err != nil {
		return nil, err
	}
	return []image{machoImage(f, 0)}, nil
}

func readUniversal(file io.ReaderAt) ([]image, error) {
	f, err := macho.NewFatFile(file)
	if err != nil {
		return nil, err
	}
	images := make([]image, 0, len(f.Arches))
	for _, arch := range f.Arches {
		images = append(images, machoImage(arch.File, uint64(arch.Offset)))
	}
	return images, nil
}

func machoImage(f *macho.File, offset uint64) image {
	arch := strings.ToLower(strings.TrimPrefix(f.Cpu.String(), "Cpu"))
	img := image{platform: versions.Platform{OS: "darwin", Arch: arch}}
	for _, load := range f.Loads {
		if segment, ok := load.(*macho.Segment); ok {
			img.end = max(img.end, offset+segment.Offset+segment.Filesz)
		}
	}
	return img
}
