package release

import (
	"debug/buildinfo"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeBill writes the bill of materials of a program, as CycloneDX, from the build information in
// the program.
func (o Options) writeBill(p program) error {
	info, err := buildinfo.ReadFile(p.path)
	if err != nil {
		return err
	}
	sum, err := checksum(p.path)
	if err != nil {
		return err
	}
	bill := o.bill(info, sum)
	return writeTo(o.path(p.base(o.Version)+".cdx.json"), func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
	})
}

func (o Options) bill(info *debug.BuildInfo, sum string) *cyclonedx.BOM {
	self := component(cyclonedx.ComponentTypeApplication, info.Main.Path, o.Version)
	self.Name = "cosi-emu"
	self.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}}
	self.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}}
	libraries := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, dependency := range info.Deps {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		libraries = append(libraries, component(cyclonedx.ComponentTypeLibrary, dependency.Path, dependency.Version))
	}
	var references []string
	for _, library := range libraries {
		references = append(references, library.BOMRef)
	}
	bill := cyclonedx.NewBOM()
	bill.SerialNumber = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(self.PackageURL+"#"+sum)).String()
	bill.Metadata = &cyclonedx.Metadata{Timestamp: o.Time.Format(time.RFC3339), Component: &self}
	bill.Components = &libraries
	bill.Dependencies = &[]cyclonedx.Dependency{{Ref: self.BOMRef, Dependencies: &references}}
	return bill
}

func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
