#!/bin/sh
# A backend command for `cosi-emu conformance --backend-cmd`, for the fake driver:
#
#   cosi-emu conformance --backend-cmd 'examples/conformance-backend.sh ./outage' --driver-cmd \
#     'cosi-emu driver --endpoint=$(COSI_ENDPOINT) --data-dir=$(STATE_DIR) --outage-dir=./outage'
#
# The store of the fake driver reads the directory before each operation. For a store of your
# own, delete the bucket with its administrator's key, and stop and start its server.
set -eu
dir=$1
case ${2:-} in
lose)
	mkdir -p "$dir/lose"
	: >"$dir/lose/$3"
	;;
fail)
	mkdir -p "$dir"
	: >"$dir/fail"
	;;
heal)
	rm -f "$dir/fail"
	;;
*)
	exit 64 # there is no such action
	;;
esac
