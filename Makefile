# Everything that a developer or CI runs. `make help` lists the targets that people use; a target
# with one # before its description is a part of another, or belongs to CI.
# Needs Go and git, and nothing newer than GNU make 3.81.

SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN := $(CURDIR)/bin
GO ?= go

# A program without debug information is linked in half the time. Stack traces need none; go build
# without make makes a program for a debugger. All targets have the same flags, and share the cache.
export GOFLAGS := $(GOFLAGS) -gcflags=all=-dwarf=false -ldflags=-w

# What to test, and how: make test PKG=./controller/... TESTFLAGS='-run Delete'
PKG ?= ./...
TESTFLAGS ?=
GOTESTSUM := $(GO) tool gotestsum --format pkgname-and-test-fails

# How many packages are tested at a time: more than processors, for those that wait.
PACKAGES ?= $(shell expr 2 '*' $$(getconf _NPROCESSORS_ONLN))

# How many tests of a package run at a time: most of them wait for processes and controllers.
PARALLEL ?= $(shell expr 3 '*' $$(getconf _NPROCESSORS_ONLN))

# Tests with this name take minutes. The gate runs some of them, test-nightly all.
LONG := ^TestLong

# Tests with this name are about the programs of the control plane, or repeat on them what others show
# on the embedded one; a start takes seconds. The gate runs them. A few others always have kube-apiserver
# as their judge, if it is on this machine.
PROGRAMS := ^TestPrograms

# Tests trade memory for time: a short process spends a fifth of its processor time on garbage collection.
GOGC ?= 400

# All that is drawn at random depends on SEED. The gate has a seed that was chosen once, so that
# the same commit has the same answer; make test-nightly draws a new one, and prints it.
SEED ?= 1

# The packages whose tests take longest begin first, so that none of them runs alone at the end.
SLOWEST := $(addprefix ./,cmd/cosi-emu internal/explore test/integration test/e2e scenarios/suite conformance emulator sidecar \
	internal/scenario/engine/contract sidecar/v1alpha1 internal/controlplane/envtest internal/ui internal/node controller \
	test/differential)

# golangci-lint runs vet. Without it, go test does not read all dependencies a second time.
GOTEST = COSI_EMU_TEST_SEED=$(SEED) GOGC=$(GOGC) $(GOTESTSUM) -- -vet=off -p $(PACKAGES) -parallel $(PARALLEL)

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

##@ Use

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## Build bin/cosi-emu.
	$(GO) build -o $(BIN)/cosi-emu ./cmd/cosi-emu

.PHONY: setup
setup: ## Get or build the control plane, once, into the user's cache.
	$(GO) run ./cmd/cosi-emu setup

# make image IMAGE=registry.example.com/cosi-emu:v1 CONTAINER_TOOL=podman
IMAGE ?= cosi-emu:dev
CONTAINER_TOOL ?= docker

.PHONY: image
image: # Build the container image IMAGE with CONTAINER_TOOL.
	$(CONTAINER_TOOL) build --tag $(IMAGE) .

# make release VERSION=v0.2.0
VERSION ?=
.PHONY: release
release: ## Make the files of the release VERSION in bin/release: archives, checksums, SBOMs, formula, chart, image.
	$(GO) run -C hack/release . -version '$(VERSION)' $(RELEASEFLAGS)

.PHONY: release-recordings
release-recordings: # Record the suite with the program of the release VERSION, the reference of make test-skew for later builds.
	@GO='$(GO)' hack/recordings.sh '$(VERSION)'

.PHONY: clean
clean: ## Remove what was built here. The user's cache stays.
	rm -rf $(BIN)

##@ Test

.PHONY: test
test: ## Run the tests. make test PKG=./sidecar/... TESTFLAGS='-run Delete'
ifeq ($(PKG),./...)
	$(GOTEST) -timeout 20m -skip '$(LONG)|$(PROGRAMS)' $(TESTFLAGS) $(SLOWEST) $(PKG)
else
	$(GOTEST) -timeout 20m -skip '$(LONG)' $(TESTFLAGS) $(PKG)
endif

.PHONY: test-unit
test-unit: ## Run the tests that need no process.
	$(GOTEST) -short -timeout 5m -skip '$(LONG)' $(TESTFLAGS) $(if $(filter ./...,$(PKG)),$$(hack/unit.sh),$(PKG))

.PHONY: test-all
test-all: ## Run all that CI runs.
	.ci/run

# The gate: a fixed part of the tests that take minutes.
.PHONY: test-gate
test-gate: test-programs test-suites test-race test-modules test-sample

.PHONY: test-programs
test-programs: setup # Run the tests of the programs of the control plane.
	COSI_EMU_TEST_REQUIRE_PROGRAMS=1 $(GOTEST) -timeout 20m -run '$(PROGRAMS)' $(TESTFLAGS) \
		$$($(GO) list -f '{{range .TestGoFiles}}{{$$.Dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$.Dir}}/{{.}} {{end}}' ./... | \
			xargs grep -l '^func TestPrograms' | xargs -n1 dirname | sort -u)
	cd test/helm && COSI_EMU_TEST_REQUIRE_PROGRAMS=1 $(GO) test -run '$(PROGRAMS)' ./...

# The real API server is the judge of every change.
.PHONY: test-suites
test-suites: setup # Run all scenarios that ship on kube-apiserver and etcd.
	COSI_EMU_TEST_CONTROL_PLANE=envtest $(GOTEST) -timeout 15m -run '^TestSuite' ./scenarios/suite
	$(GOTEST) -timeout 15m -run '^TestLongConfirmOnEnvtest$$' ./internal/explore

# The race detector needs a C compiler. In the gate it watches the packages in which goroutines
# share memory, without an API server; nightly-race watches all.
RACE := ./emulator/fault ./emulator/journal ./internal/pods/... ./internal/seam ./internal/subprocess ./fakedriver \
	$(addprefix ./internal/dataplane/,azure gcs/protocol s3 s3/answers/protocol s3/authentication s3/s3op) \
	$(addprefix ./internal/,dataplane/pipeline driverserver/outage store store/administration store/blobstore store/objects/contract) \
	./internal/reconcile ./internal/reconcile/metrics ./internal/sidecar/connection ./internal/sidecar/inflight

.PHONY: test-race
test-race: # Run tests with the race detector.
ifeq ($(shell $(GO) env CGO_ENABLED),1)
	$(GOTEST) -race -timeout 40m -skip '$(LONG)' $(TESTFLAGS) $(RACE)
else
	@echo 'test-race: NOT RUN: the race detector needs a C compiler' >&2
endif

# The tests that take minutes, whole. All of them have parts that SEED draws.
.PHONY: test-long
test-long: setup
	$(GOTEST) -timeout 60m -run '$(LONG)' $(TESTFLAGS) $(PKG)

.PHONY: test-modules
test-modules: # Run the tests of the other modules.
	$(GO) test -vet=off -run '^TestLong(Program|Init)' ./hack/action ./cmd/cosi-emu
	cd test/clients && $(GO) test ./...
	cd examples/driver-author && $(GO) test ./...
	cd hack/tools && $(GO) test ./...
	cd test/linking && $(GO) test ./...
	cd test/gcs && $(GO) test ./...
	cd test/csi && $(GO) test ./...
	cd test/schema && $(GO) test ./...
	cd test/helm && $(GO) test -run '^TestChart' ./...
	cd test/monitoring && $(GO) test ./...
	cd test/testcontainers && $(GO) test ./...
	cd test/olddriver && $(GO) vet ./...
	cd test/azure && $(GO) test ./...
	cd test/bench && $(GO) test -skip '$(LONG)' ./...

.PHONY: test-release
test-release: # Make a release for this machine, twice, and run its archive and its image in empty roots.
	cd hack/release && $(GO) test -timeout 15m ./...

# The image of this commit gets the name that the recipe has. podman needs a socket for it: podman system service, and DOCKER_HOST.
CONTAINERS := v0.0.0-containers
.PHONY: test-containers
test-containers: # Run the recipe of docs/testcontainers.md in a container of CONTAINER_TOOL.
	rm -rf $(BIN)/release/$(CONTAINERS)
	$(MAKE) release VERSION=$(CONTAINERS) RELEASEFLAGS="-allow-changes -platforms linux/$$($(GO) env GOARCH)"
	$(CONTAINER_TOOL) load --input $(BIN)/release/$(CONTAINERS)/cosi-emu_$(CONTAINERS)_image.tar
	$(CONTAINER_TOOL) tag ghcr.io/cosi-emu/cosi-emu:$(CONTAINERS) "$$(grep -o 'ghcr.io/cosi-emu/[^"]*' test/testcontainers/recipe_test.go)"
	cd test/testcontainers && COSI_EMU_TEST_CONTAINERS=1 $(GO) test -count 1 -run '^TestContainer$$' .

# make test-skew PREVIOUS=v0.1.0, or with the unpacked recordings of a release: make test-skew RECORDINGS=DIR
PREVIOUS ?=
RECORDINGS ?=
.PHONY: test-skew
test-skew: build # Replace controller and sidecar of a PREVIOUS build by those of this one, one after the other, and back.
	@GO='$(GO)' PREVIOUS='$(PREVIOUS)' RECORDINGS='$(abspath $(RECORDINGS))' TESTFLAGS='$(TESTFLAGS)' hack/skew.sh

# The archive for this machine, and who tries it.
STRANGER := v0.0.0-stranger
.PHONY: stranger
stranger: # Type the first ten minutes and the mistakes of three people in an empty root, and write the table of docs/reports/first-day.md.
	rm -rf $(BIN)/release/$(STRANGER)
	$(MAKE) release VERSION=$(STRANGER) RELEASEFLAGS="-allow-changes -platforms $$($(GO) env GOOS)/$$($(GO) env GOARCH)"
	$(GO) run ./test/stranger --archive $(BIN)/release/$(STRANGER)/*.tar.gz --page docs/reports/first-day.md

# The programs of a cluster of real nodes, and the release that it runs.
CLUSTER := $(BIN)/realcluster
CLUSTER_RELEASE := v0.0.0-cluster
.PHONY: cluster-tools
cluster-tools: # Make the release and the programs that the tests of a cluster use.
	rm -rf $(CLUSTER)/release
	$(MAKE) release VERSION=$(CLUSTER_RELEASE) \
		RELEASEFLAGS="-allow-changes -platforms linux/$$($(GO) env GOARCH) -out $(CLUSTER)/release"
	tar -xzf $(CLUSTER)/release/*.tar.gz -C $(CLUSTER) --strip-components 1 \
		cosi-emu_$(CLUSTER_RELEASE)_linux_$$($(GO) env GOARCH)/cosi-emu
	CGO_ENABLED=0 $(GO) build -C test/olddriver -trimpath -o $(CLUSTER)/olddriver .
	CGO_ENABLED=0 $(GO) build -C test/realcluster -trimpath -o $(CLUSTER)/app ./app
	$(GO) tool -C test/kustomize kustomize version >/dev/null # for a test without internet
	$(GO) tool -C test/helm helm version >/dev/null

.PHONY: cluster-programs
cluster-programs: setup cluster-tools # Build the programs of a cluster: kubelet, containerd and the others.
	test/realcluster/programs/build.sh $(CLUSTER)

.PHONY: test-cluster
test-cluster: # Install COSI from the manifests in a cluster of real nodes, and use it there. Requires root on Linux.
	@missing=$$($(GO) run -C test/realcluster ./missing) || exit; \
		if [ -n "$$missing" ]; then echo "test-cluster: NOT RUN: $$missing" >&2; exit; fi; \
		$(MAKE) cluster-programs && $(GO) test -C test/realcluster -v -count 1 -timeout 60m $(TESTFLAGS) ./...

# make test-kind KIND=cosi-emu
KIND ?= kind
.PHONY: test-kind
test-kind: cluster-tools # Run the tests of test-cluster in the cluster KIND of kind, without those of nodes.
	COSI_EMU_TEST_KIND=$(KIND) $(GO) test -C test/realcluster -v -count 1 -timeout 60m $(TESTFLAGS) ./...

# The scenarios for v1alpha2: those for v1alpha1 have a folder of their own.
SUITE = $(filter-out scenarios/suite/v1alpha1/,$(wildcard scenarios/suite/*/))

# What is explored for v1alpha1 on each commit; nightly-explore tries all of its scenarios.
OLDER = internal/explore/testdata/v1alpha1/lifecycle.yaml scenarios/suite/v1alpha1/steady

.PHONY: test-sample
test-sample: build # Try a sample of the faults, and of interferences, in the base lifecycles and what ends with everything up, drawn with SEED.
	$(BIN)/cosi-emu explore $(OLDER) $(PEOPLE) --control-plane embedded --prune step --sample 5 --seed $(SEED) --out $(BIN)/found
	$(BIN)/cosi-emu explore $(OLDER) $(PEOPLE) --control-plane embedded --interference --prune step --sample 5 --seed $(SEED) --out $(BIN)/found

# make upstream-findings CONTROLLER=/path SIDECAR=/path VERSION=v0.2.2
.PHONY: upstream-findings
upstream-findings: build # Explore upstream's CONTROLLER and SIDECAR of the release VERSION, and write docs/reports/upstream-findings.md.
	CONTROLLER='$(CONTROLLER)' SIDECAR='$(SIDECAR)' VERSION='$(VERSION)' hack/upstream-findings.sh

# Each part takes at most 90 minutes. NIGHTLY names them for the workflow.
NIGHTLY := verify-platforms nightly-differential nightly-control-planes nightly-race nightly-long nightly-mutants \
	nightly-conformance nightly-explore nightly-sample nightly-data nightly-interference nightly-components nightly-soak nightly-skew \
	nightly-clients test-containers test-cluster
.PHONY: test-nightly
test-nightly: ## Run what is random or takes hours, with a new SEED.
	@seed=$${NIGHTLY_SEED:-$$(date +%s)}; for part in $(NIGHTLY); do \
		echo "seed $$seed: repeat with make $$part SEED=$$seed"; $(MAKE) $$part SEED=$$seed || exit; done

.PHONY: nightly-long
nightly-long: test-long test-release # Run all tests that take minutes, and make a release.
	cd test/bench && $(GO) test -timeout 30m -run '$(LONG)' ./...

.PHONY: nightly-sample
nightly-sample: test-sample # Try another sample than the gate, also in all scenarios that ship.
	$(BIN)/cosi-emu explore $(SUITE) --control-plane embedded --prune step --sample 1 --seed $(SEED) --budget 60m --out $(BIN)/found

.PHONY: nightly-mutants
nightly-mutants: mutants # Have the nets find the bugs of all mutants and patches.

.PHONY: nightly-differential
nightly-differential: setup # Compare both control planes: 20,000 requests and 100 sets of owners, drawn with SEED, and all scenarios.
	@echo 'seed $(SEED): repeat with make $@ SEED=$(SEED)'
	$(GO) test ./test/differential -v -count 1 -timeout 30m -run '^TestSame' -requests 20000 -seed $(SEED)
	$(GO) test ./test/differential -v -count 1 -timeout 30m -run '^TestProgramsOwners$$' -forests 100 -seed $(SEED)
	$(GO) test ./test/differential -v -count 1 -timeout 55m -run '^TestLongScenarios$$' -scenarios 0

.PHONY: nightly-control-planes
nightly-control-planes: test-envtest # Run on the programs the tests that run on the embedded control plane by day, and try the requests and the storage of the embedded one at random.
	cd test/helm && $(GO) vet ./... && $(GO) test -count 1 ./...
	$(GO) test ./internal/controlplane/embedded -count 1 -run '^$$' -fuzz '^FuzzRequest$$' -fuzztime 5m
	$(GO) test ./internal/controlplane/memstore -count 1 -run '^$$' -fuzz '^FuzzStore$$' -fuzztime 5m

.PHONY: nightly-race
nightly-race: # Run the tests of make test, of all packages, with the race detector.
	$(MAKE) test-race RACE="$$($(GO) list ./... | grep -Ev '/(cmd/cosi-emu|scenarios/suite)$$')"

.PHONY: nightly-conformance
nightly-conformance: # Test all faulty drivers, and print which checks each of them fails.
	$(GO) test ./conformance -v -count 1 -timeout 60m -run '^TestLong' -sample 0

.PHONY: nightly-explore
nightly-explore: # Try faults in all scenarios that ship, and random ones in the base lifecycle.
	@echo 'seed $(SEED): repeat with make $@ SEED=$(SEED)'
	$(MAKE) explore-suite
	$(MAKE) explore-steady
	$(MAKE) explore EXPLORE='--random 1000 --seed $(SEED)'
	$(MAKE) explore-takeover
	$(MAKE) explore-lives LIVES=2000

.PHONY: nightly-data
nightly-data: build # Run all scenarios with a data directory, and judge each after a restart, too.
	rm -rf $(BIN)/data && $(BIN)/cosi-emu run --suite --control-plane embedded --data-dir $(BIN)/data --restart

.PHONY: nightly-interference
nightly-interference: # Try what people do to objects, 6 times: over no bridge, and over one to each dialect.
	@echo 'seed $(SEED): repeat with make $@ SEED=$(SEED)'
	$(MAKE) explore-interference EXPLORE='--sample 2000 --seed $(SEED) --budget 12m'
	$(MAKE) explore-interference EXPLORE='--pairs --sample 100 --seed $(SEED) --budget 3m'

# The program's own controller and sidecar, as processes behind the seams.
OWN_FLAGS = --kubeconfig=$$(KUBECONFIG) --health-probe-bind-address=$$(PROBE_ADDRESS) --kube-api-qps=-1 \
	--retry-base-delay=$$(RETRY_BASE_DELAY) --retry-max-delay=$$(RETRY_MAX_DELAY)
OWN_COMPONENTS = --controller-cmd '$(BIN)/cosi-emu controller $(OWN_FLAGS)' \
	--sidecar-cmd '$(BIN)/cosi-emu sidecar --endpoint=$$(COSI_ENDPOINT) --dialect=kep --rpc-timeout=$$(RPC_TIMEOUT) $(OWN_FLAGS)'
.PHONY: nightly-components
nightly-components: build setup # Run the suite, and try faults, with controller and sidecar as processes.
	$(BIN)/cosi-emu run --suite $(OWN_COMPONENTS)
	$(BIN)/cosi-emu run --suite --no-s3 --driver-cmd '$(BIN)/cosi-emu driver --endpoint=$$(COSI_ENDPOINT) --data-dir=$$(STATE_DIR)'
	$(BIN)/cosi-emu explore internal/explore/testdata/lifecycle.yaml --sample 200 --seed $(SEED) \
		--out $(BIN)/found $(OWN_COMPONENTS)

.PHONY: nightly-skew
nightly-skew: test-skew # Upgrade from the last release to this build, and back; replay the recordings of the release in bin/reference.
	if [ -d $(BIN)/reference ]; then $(MAKE) test-skew RECORDINGS=$(BIN)/reference; fi

# The SDKs and programs that clients-install installs as root on Debian. One that is neither here nor on this machine is skipped.
REQUIRE_SDKS ?= js boto3 azure rclone s3cmd aws
.PHONY: nightly-clients
nightly-clients: clients-install # Run the programs of docs/sdks.md, and those that `cosi-emu env` configures; all of REQUIRE_SDKS must be here.
	cd test/clients && COSI_EMU_TEST_REQUIRE_SDKS='$(REQUIRE_SDKS)' $(GO) test -count 1 -run '^Test(SDKs|Configurations)$$' .

.PHONY: nightly-soak
nightly-soak: setup # Repeat the suite, kill stores and measure memory for long.
	$(GO) test ./scenarios/suite -count 5 -race -timeout 40m
	$(GO) test ./internal/scenario/engine/contract -count 1 -timeout 30m -run '^TestLongMemory' -memory.runs 5000
	$(GO) test ./internal/store -count 20 -race -timeout 20m -run '^TestKill$$'

# The dialects that a bridge translates.
DIALECTS := v1alpha1 no-modes one-mode one-mode-get bucket-ids

# make explore EXPLORE='--pairs --budget 10m'
EXPLORE ?=
.PHONY: explore
explore: build setup # Try every fault at every point of the base lifecycle of both versions, and of the bridge to each dialect.
	$(BIN)/cosi-emu explore internal/explore/testdata/lifecycle.yaml --measure-seams --out $(BIN)/found $(EXPLORE)
	$(BIN)/cosi-emu explore internal/explore/testdata/v1alpha1/lifecycle.yaml --out $(BIN)/found $(EXPLORE)
	for dialect in $(DIALECTS); do \
		$(BIN)/cosi-emu explore internal/explore/testdata/lifecycle.yaml --dialect $$dialect --out $(BIN)/found $(EXPLORE) || exit 1; \
	done

# make explore-suite EXPLORE='--prune object'
.PHONY: explore-suite
explore-suite: build setup # Try faults in all scenarios that ship.
	$(BIN)/cosi-emu explore scenarios/suite --prune step --out $(BIN)/found $(EXPLORE)

# make explore-steady EXPLORE='--prune object'
.PHONY: explore-steady
explore-steady: build setup # Try every fault in the scenarios that end with everything up.
	$(BIN)/cosi-emu explore scenarios/suite/steady --out $(BIN)/found $(EXPLORE)

# make explore-lives SEED=7 LIVES=500
LIVES ?= 10000
.PHONY: explore-lives
explore-lives: build # Run generated scenarios of both versions, and behind the bridge to each dialect.
	$(BIN)/cosi-emu explore --lives $(LIVES) --seed $(SEED) --control-plane embedded --out $(BIN)/found $(EXPLORE)
	$(BIN)/cosi-emu explore --lives $(LIVES) --seed $(SEED) --control-plane embedded --out $(BIN)/found --api v1alpha1 $(EXPLORE)
	for dialect in $(DIALECTS); do \
		$(BIN)/cosi-emu explore --lives $$(($(LIVES) / 10)) --seed $(SEED) --dialect $$dialect --control-plane embedded \
			--out $(BIN)/found $(EXPLORE) || exit 1; \
	done

.PHONY: explore-takeover
explore-takeover: build # Let another incarnation take over at each write and call, with one resource late, too, or with all as they were long ago.
	$(BIN)/cosi-emu explore $(OLDER) $(PEOPLE) --control-plane embedded --effects lag,lose-lease --pairs --prune step \
		--out $(BIN)/found $(EXPLORE)
	$(BIN)/cosi-emu explore $(OLDER) $(PEOPLE) --control-plane embedded --effects time-travel --out $(BIN)/found $(EXPLORE)

# make explore-interference EXPLORE='--pairs --budget 10m'
PEOPLE = internal/explore/testdata/lifecycle.yaml scenarios/suite/steady
.PHONY: explore-interference
explore-interference: build setup # Try what people do to objects in the base lifecycles, and in the scenarios that end with everything up.
	$(BIN)/cosi-emu explore $(OLDER) $(PEOPLE) --interference --prune step --out $(BIN)/found $(EXPLORE)
	for dialect in $(DIALECTS); do \
		$(BIN)/cosi-emu explore internal/explore/testdata/lifecycle.yaml --interference --prune step --dialect $$dialect \
			--out $(BIN)/found $(EXPLORE) || exit 1; \
	done

.PHONY: test-envtest
test-envtest: setup # Run all tests on kube-apiserver and etcd.
	COSI_EMU_TEST_CONTROL_PLANE=envtest COSI_EMU_TEST_REQUIRE_PROGRAMS=1 $(GOTEST) -timeout 60m -skip '$(LONG)' $(TESTFLAGS) $(PKG)

# make mutants MUTANT=create-before-id
MUTANT ?=
.PHONY: mutants
mutants: setup # Have the nets find the bugs of all mutants and patches, or of the one that is MUTANT.
	$(GO) test ./test/mutants -v -count 1 -parallel 3 -timeout 85m -run '$(if $(MUTANT),^TestLong(Mutants|Patches)$$/^$(MUTANT)$$,.)' -sample 0

# make clients CLIENTS='-clients rclone,boto3 -protocols S3 -schemes http', or CLIENTS=-lose, which loses the reply to each
# request of each client in turn.
CLIENTS ?= -write

.PHONY: clients
clients: clients-install # Use the services with real clients, and write the tables of docs/clients.md.
	$(GO) build -C test/clients -o $(BIN)/clients/test .
	cd test/clients && $(GO) test -count 1 -run '^TestSDKs$$' .
	$(BIN)/clients/test -root $(CURDIR) $(CLIENTS)

# The versions are those of test/clients/programs/go.mod, of test/clients/package-lock.json, and of Debian.
DEBIAN_CLIENTS := awscli s3cmd python3-boto3 python3-azure-storage libsecret-1-0

.PHONY: clients-install
clients-install: sdks-install # Build and install the clients that make clients uses: into bin/clients, and as root on Debian with apt-get.
	$(GO) build -C test/clients/programs -o $(BIN)/clients/ tool
	$(GO) build -C test/clients -o $(BIN)/clients/minio-functional \
		"$$($(GO) list -C test/clients -m -f '{{.Dir}}' github.com/minio/minio-go/v7)/functional_tests.go"
	install $(BIN)/clients/node_modules/@azure-tools/azcopy-linux/dist/bin/azcopy_linux_amd64 $(BIN)/clients/azcopy

.PHONY: sdks-install
sdks-install: # Install the packages of npm into bin/clients, and as root those of Debian with apt-get.
	mkdir -p $(BIN)/clients
	cp test/clients/package.json test/clients/package-lock.json $(BIN)/clients/
	npm ci --prefix $(BIN)/clients --ignore-scripts
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $(DEBIAN_CLIENTS); \
	else echo 'sdks-install: NOT INSTALLED, which requires root and apt-get: $(DEBIAN_CLIENTS)' >&2; fi

.PHONY: clients-update
clients-update: # Renew the clients: the newest versions that this Go and this Node can have.
	cd test/clients/programs && $(GO) get github.com/rclone/rclone@upgrade github.com/restic/restic/cmd/restic@upgrade github.com/minio/mc@upgrade && $(GO) mod tidy
	cd test/clients && $(GO) get $(CLIENT_LIBRARIES) && $(GO) mod tidy
	cd test/clients && npm install --package-lock-only $$(node -p 'Object.keys(require("./package.json").dependencies).join(" ")')
	@echo 'Now run make clients, which tests them, and writes their versions into docs/clients.md.'

CLIENT_LIBRARIES := $(addsuffix @upgrade,cloud.google.com/go/storage github.com/Azure/azure-sdk-for-go/sdk/storage/azblob \
	$(addprefix github.com/aws/aws-sdk-go-v2/,config service/s3 feature/s3/transfermanager) github.com/minio/minio-go/v7)

.PHONY: screenshot
screenshot: build setup # Take the screenshot of a report for the README, with Chromium.
	hack/screenshot/screenshot.sh $(BIN)/cosi-emu docs/images/report.png

.PHONY: pictures
pictures: # Take the pictures of docs/ui.md, with Chromium.
	$(GO) test ./internal/ui -count 1 -run '^TestPictures$$' -pictures $(CURDIR)/docs/images

# make bench BENCH='scale --check'
BENCH ?=
.PHONY: bench
bench: build setup ## Measure speed and memory. make bench BENCH='scale --check'
	$(GO) build -C test/bench -o $(BIN)/bench .
	$(BIN)/bench $(BENCH)

.PHONY: bench-go
bench-go: setup # Run the Go benchmarks, for profiles.
	$(GO) test -run '^$$' -bench . -benchmem -timeout 30m $(TESTFLAGS) $(PKG)
	cd test/bench && $(GO) test -run '^$$' -bench . -benchmem -timeout 30m $(TESTFLAGS) ./...

.PHONY: profile
profile: # Print the processor time and the allocations of a run of exploration, by part. The profiles are in bin.
	cd test/bench && $(GO) test ./parts -run '^$$' -bench Explore -benchtime 1x -timeout 30m -out $(BIN)

##@ Change

.PHONY: generate
generate: generate-proto generate-apis generate-openapi generate-go ## Generate all that is generated.

.PHONY: generate-proto
generate-proto: $(BIN)/protogen $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc # Generate the gRPC code from the .proto files.
	PATH="$(BIN):$$PATH" $(BIN)/protogen -root proto cosi/v1alpha1/cosi.proto cosi/v1alpha2/cosi.proto \
		cosi/v1alpha2/dialects/dialects.proto
	PATH="$(BIN):$$PATH" $(BIN)/protogen -global -root test/linking/upstream cosi.proto

.PHONY: generate-apis
generate-apis: $(BIN)/controller-gen # Generate deepcopy functions and CRDs from the types.
	rm -f apis/crds/objectstorage.k8s.io_*.yaml apis/crds/v1alpha1/objectstorage.k8s.io_*.yaml
	$(BIN)/controller-gen object paths=./apis/objectstorage/v1alpha2 \
		crd:generateEmbeddedObjectMeta=false output:crd:dir=apis/crds
	$(BIN)/controller-gen object paths=./apis/objectstorage/v1alpha1 \
		crd:generateEmbeddedObjectMeta=false output:crd:dir=apis/crds/v1alpha1

# The kinds of the embedded control plane, and the types that their definitions refer to. hack/generate
# reduces the definitions of core/v1 to the kinds that are served.
OPENAPI := internal/controlplane/embedded/openapi
OPENAPI_TYPES := $(addprefix k8s.io/api/, \
		authentication/v1 authorization/v1 autoscaling/v1 batch/v1 coordination/v1 core/v1 events/v1 rbac/v1 scheduling/v1alpha3) \
	k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 \
	$(addprefix k8s.io/apimachinery/pkg/, api/resource apis/meta/v1 runtime util/intstr version)

.PHONY: generate-openapi
generate-openapi: $(BIN)/openapi-gen # Generate the OpenAPI definitions of the embedded control plane.
	$(BIN)/openapi-gen --go-header-file /dev/null --report-filename /dev/null \
		--output-dir $(OPENAPI) --output-pkg github.com/cosi-emu/cosi-emu/$(OPENAPI) \
		--output-file zz_generated.openapi.go $(OPENAPI_TYPES)
	cd hack/generate && $(GO) generate

.PHONY: generate-go
generate-go: # Run the go:generate directives.
	$(GO) generate ./...

.PHONY: fmt
fmt: $(BIN)/golangci-lint # Format the code.
	$(BIN)/golangci-lint fmt ./...

.PHONY: tidy
tidy: # Tidy every module of the repository.
	hack/verify/modules.sh tidy

.PHONY: lint
lint: $(BIN)/golangci-lint ## Run the linters.
	$(BIN)/golangci-lint run ./...
	cd hack/tools && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd hack/release && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/clients && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/azure && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/bench && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/realcluster && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd examples/driver-author && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/gcs && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/csi && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/schema && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/helm && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/monitoring && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...
	cd test/testcontainers && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...

##@ Verify

.PHONY: verify
verify: verify-text prose verify-mutants verify-format verify-modules verify-licenses verify-vulnerabilities verify-generated lint ## Check all that can be checked without running the code.

.PHONY: verify-text
verify-text: # No file names a machine that it was written on.
	hack/verify/text.sh

.PHONY: prose
prose: $(BIN)/prose # The English has no turns of phrase that give a translation away.
	$(BIN)/prose .

.PHONY: verify-mutants
verify-mutants: # Every patch of test/mutants/patches applies.
	hack/mutants.sh check

.PHONY: verify-format
verify-format: # The code is formatted.
	hack/verify/format.sh

.PHONY: verify-modules
verify-modules: # Every module is tidy.
	hack/verify/modules.sh tidy -diff

.PHONY: verify-licenses
verify-licenses: $(BIN)/licenses # The licenses of all modules that the product is built of are allowed.
	$(BIN)/licenses . test/clients examples/driver-author hack/controlplane

.PHONY: verify-vulnerabilities
verify-vulnerabilities: $(BIN)/govulncheck # The code calls nothing with a known vulnerability.
	hack/verify/vulnerabilities.sh $(BIN)/govulncheck

.PHONY: verify-generated
verify-generated: $(BIN)/protogen $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc $(BIN)/controller-gen $(BIN)/openapi-gen # Generated files are up to date.
	hack/verify/generated.sh "$(MAKE)" "$(BIN)"

.PHONY: verify-platforms
verify-platforms: $(addprefix vet-,$(subst /,-,$(PLATFORMS))) # The code compiles, tests included, on every platform.

# vet-linux-amd64 and so on.
vet-%:
	GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) $(GO) vet ./...

# The tools, pinned by hack/tools/go.mod and built once for each change of it.

TOOL_MODULE := hack/tools/go.mod hack/tools/go.sum

define tool
$(BIN)/$(notdir $(1)): $(TOOL_MODULE)
	$(GO) build -C hack/tools -o $$@ $(1)
endef

$(eval $(call tool,github.com/golangci/golangci-lint/v2/cmd/golangci-lint))
$(eval $(call tool,golang.org/x/vuln/cmd/govulncheck))
$(eval $(call tool,google.golang.org/grpc/cmd/protoc-gen-go-grpc))
$(eval $(call tool,google.golang.org/protobuf/cmd/protoc-gen-go))
$(eval $(call tool,k8s.io/kube-openapi/cmd/openapi-gen))
$(eval $(call tool,sigs.k8s.io/controller-tools/cmd/controller-gen))
$(eval $(call tool,./licenses))
$(eval $(call tool,./prose))
$(eval $(call tool,./protogen))

$(BIN)/protogen: $(wildcard hack/tools/protogen/*.go)
$(BIN)/licenses: $(wildcard hack/tools/licenses/*.go)
$(BIN)/prose: $(filter-out %_test.go,$(wildcard hack/tools/prose/*.go))
