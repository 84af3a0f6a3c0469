package checks

import (
	"regexp"
	"slices"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

var driverName = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,61}[a-zA-Z0-9])?$`)

func identity() []*Check {
	return []*Check{
		{
			ID: "ID-01", Title: "DriverGetInfo returns a valid name", Profile: Core, Level: Must,
			Rule: sourceMessages.says("The name MUST follow domain name notation format … It MUST be 63 characters or less, beginning and " +
				"ending " +
				"with an alphanumeric character ([a-z0-9A-Z]) with dashes (-), dots (.), and alphanumerics between."),
			run: func(c *C) {
				info, err := c.Driver.Info(c.Context)
				c.wantOK("DriverGetInfo", err)
				if !driverName.MatchString(info.Name) {
					c.fail("a domain name of 1 to 63 characters", "name %q", info.Name)
				}
			},
		},
		{
			ID: "ID-02", Title: "DriverGetInfo returns the same name each time", Profile: Core, Level: Must,
			Rule: sourceInfo.says(sayName),
			run: func(c *C) {
				for range 3 {
					info, err := c.Driver.Info(c.Context)
					c.wantOK("DriverGetInfo", err)
					if info.Name != c.env.Info.Name {
						c.fail("name "+c.env.Info.Name, "name %q", info.Name)
					}
				}
			},
		},
		{
			ID: "ID-03", Title: "DriverGetInfo returns at least one protocol, and known ones only", Profile: Core, Level: Must,
			Rule: sourceMessages.says("A list of all object storage protocols supported by the driver. At least one protocol is " +
				"REQUIRED."), Dialects: v1alpha2,
			run: func(c *C) {
				info, err := c.Driver.Info(c.Context)
				c.wantOK("DriverGetInfo", err)
				if len(info.Protocols) == 0 {
					c.fail("at least one protocol", "none")
				}
				for _, p := range info.Protocols {
					if _, known := cosiv1alpha2.ObjectProtocol_Type_name[int32(p)]; !known || p == cosiv1alpha2.ObjectProtocol_UNKNOWN {
						c.fail("S3, AZURE or GCS", "protocol %s", p)
					}
				}
			},
		},
		{
			ID: "ID-04", Title: "DriverGetInfo returns no protocol twice", Profile: Core, Level: Should,
			Rule: sourceMessages.says("A list of all object storage protocols supported by the driver. At least one protocol is " +
				"REQUIRED."), Dialects: v1alpha2,
			run: func(c *C) {
				info, err := c.Driver.Info(c.Context)
				c.wantOK("DriverGetInfo", err)
				all := slices.Clone(info.Protocols)
				slices.Sort(all)
				if len(slices.Compact(all)) < len(info.Protocols) {
					c.fail("each protocol once", "%v", info.Protocols)
				}
			},
		},
		{
			ID: "ID-05", Title: "A driver with grpc.health.v1 is SERVING", Profile: Core, Level: Should,
			Rule: sourceHealth.says("The server should use an empty string as the key for server's overall health status"),
			run: func(c *C) {
				serving, err := c.Driver.Health(c.Context)
				if status.Code(err) == codes.Unimplemented {
					c.notSupported("grpc.health.v1, for probes of the driver", err)
				}
				c.wantOK("grpc.health.v1.Health/Check", err)
				if serving != healthv1.HealthCheckResponse_SERVING {
					c.fail("SERVING", "%s", serving)
				}
			},
		},
	}
}
