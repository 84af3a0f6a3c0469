package answers

import (
	"errors"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

func (a *Answers) readObject(x *s3exchange.Exchange) error {
	if err := x.Find(); err != nil {
		return err
	}
	if err := x.Conditions.Read(x.Version); err != nil {
		if errors.Is(err, s3error.ErrNotModified) {
			x.DescribeVersion()
		}
		return err
	}
	if err := x.ChooseRange(); err != nil {
		return err
	}
	return a.serveGofakes3(x)
}
