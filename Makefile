# The project's chores by name. `make` alone lists them.
CARGO ?= cargo
CORPUS ?= target/corpus
FUZZ_SECONDS ?= 60
WORLDS ?= 1000000
# The other workspace, with the builds of the first.
MEDIA = --locked --manifest-path media/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target)
CAMPAIGN ?= $(shell date +%Y%m%d)

.DEFAULT_GOAL := help
.PHONY: help test media further ci python wheel wheels faults foreign slow features nightly campaigns model inputs large foreign-images detection bench cftt fuzz corpus aarch64 aarch64-nightly portable windows worlds coverage mutants macos dist

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

test: ## what README promises: every test but those of the targets below
	$(CARGO) test --locked

media: ## the tests of the workspace media/: images, volumes, archives
	$(CARGO) test $(MEDIA)

further: ## the tests that README's command does not compile: those of the other crates, and those behind features
	.ci/further "$(CARGO) test --locked" --features pfh-cli/bench,pfh-cli/parquet,pfh-cli/remote,pfh-cli/schema,pfh-cli/screen,pfh-report/parquet

ci: ## what the continuous integration runs, with the tools it installs
	bash .ci/run

python: ## the wheel of the Python package, built and tested in a venv of its own
	tools/python/check

wheel: ## the wheel as it is released, for glibc 2.17 and later and with the stores of objects, in target/wheels; checked and tried in a venv of its own
	tools/python/wheel

wheels: ## the wheels for glibc and musl on x86-64 and aarch64, for Windows and macOS, and for CPython 3.14t, each checked, and tried where it can be, then the package's tests on CPython 3.11 to 3.14; an hour, nightly
	for arch in x86_64 aarch64; do for libc in gnu musl; do tools/python/wheel --target $$arch-unknown-linux-$$libc || exit 1; done; done
	for triple in x86_64-pc-windows-gnu aarch64-apple-darwin x86_64-apple-darwin; do tools/python/wheel --target $$triple || exit 1; done
	tools/python/wheel --free-threaded
	tools/python/versions

faults: ## the tests that inject faults, with the matrix of docs/tests/faults.md; needs root, FUSE and strace, and fails where they are missing
	PFH_TIERS=faults PFH_REQUIRE_INJECTORS=1 $(CARGO) test --package pfh-cli --package pfh-inject
	PFH_TIERS=faults PFH_REQUIRE_INJECTORS=1 $(CARGO) test $(MEDIA)
	PFH_TIERS=faults PFH_REQUIRE_INJECTORS=1 $(CARGO) test --package pfh-cli --test cli faults_ -- --ignored

foreign: ## the tests that ask other programs (hashdeep, ewfinfo, hfind …) and build the benchmark's runners; fails where they are missing
	PFH_TIERS=foreign PFH_REQUIRE_INJECTORS=1 $(CARGO) test --features pfh-cli/bench --package pfh-cli --package pfh-bench
	PFH_TIERS=foreign PFH_REQUIRE_INJECTORS=1 $(CARGO) test $(MEDIA)

slow: ## the tests of the program that take ten seconds each and more
	PFH_TIERS=slow $(CARGO) test --features pfh-cli/bench --package pfh-cli --package pfh-bench
	PFH_TIERS=slow tools/python/check -k workers_over_tls

features: ## each feature of the library alone, and the program without any, compile without a warning (part of nightly)
	$(CARGO) clippy --package pfh-cli --no-default-features --quiet -- -D warnings
	$(CARGO) clippy $(MEDIA) --package pfh-container --quiet -- -D warnings
	for feature in audit image inside known parquet remote serve; do $(CARGO) clippy --package pfh --no-default-features --features $$feature --quiet -- -D warnings || exit 1; done

nightly: features portable windows macos model worlds ## the tests that take minutes: long vectors, many seeds, every errno at every call; kernels with their assertions
	$(CARGO) test --package pfh-kernel --package pfh-digest --config profile.dev.package.pfh-kernel.overflow-checks=true --config profile.dev.package.pfh-kernel.debug-assertions=true
	PFH_TIERS=faults,foreign,slow PFH_NIGHTLY=1 $(CARGO) test --workspace --release -- --include-ignored
	PFH_TIERS=faults,foreign,slow PFH_NIGHTLY=1 $(CARGO) test $(MEDIA) --release -- --include-ignored

campaigns: ## 20,000 errnos, 10,000 power cuts, 300 raced writes, every allocation of eleven commands, 10,000 mutants of each image, and a dated record (part of nightly, without the record)
	PFH_RECORD=$(CURDIR)/bench/record/$(shell date +%F)-campaigns.md PFH_REQUIRE_INJECTORS=1 \
		$(CARGO) test --package pfh-cli --release --test cli -- campaign_ faults_e_unending:: --ignored --nocapture
	PFH_ALLOCATIONS_EACH=1 PFH_REQUIRE_INJECTORS=1 $(CARGO) test --package pfh-cli --release --test cli every_allocation
	PFH_MUTANTS=10000 PFH_REQUIRE_INJECTORS=1 $(CARGO) test $(MEDIA) --release mutants

worlds: ## WORLDS worlds (a million) around the jobs, from the number CAMPAIGN (today's date); one that breaks a law prints its number and its shrunk script; then ten jobs in which every call fails; two hours, nightly
	$(CARGO) test --package pfh-world --no-run
	seq 0 1000 $$(($(WORLDS) - 1)) | xargs -P $$(nproc) -I {} env PFH_CAMPAIGN=$(CAMPAIGN) PFH_WORLDS_FROM={} PFH_WORLDS=1000 \
		$(CARGO) test --quiet --package pfh-world --test worlds every_world
	PFH_SWEEP=1 $(CARGO) test --quiet --package pfh-world --test worlds every_call

coverage: ## the lines and branches of judge, ledger, verdict, seal and engine that the tests reach; MISSED=1 lists the others
	.ci/coverage $(if $(MISSED),--missed)

mutants: ## changes of judge, ledger, verdict and seal that no test of theirs notices, by cargo-mutants (`cargo install --locked cargo-mutants`); an hour
	cargo mutants --package pfh-ledger --package pfh-custody --file 'records/ledger/src/**' --file 'records/custody/src/seal/**' --output target

model: ## a million schedules of each case of the scheduler's model, PFH_MODEL_SEED=… from another seed; hours, nightly
	PFH_MODEL=$${PFH_MODEL:-1000000} $(CARGO) test --package pfh-engine --release --test model

inputs: ## a million generated inputs at each level of PFH_ISA: sdhash beside the plain form, TLSH beside the crate; lists of ranks
	PFH_INPUTS=1000000 $(CARGO) test --package pfh-similarity --release --test similarity generated::inputs_at_each_level
	PFH_INPUTS=1000000 $(CARGO) test --package pfh-kernel --release --lib lowest

large: ## updates and files beyond 4 GiB
	PFH_LARGE=1 $(CARGO) test --workspace --release large -- --include-ignored

foreign-images: ## images and archives that others made, in DIR=…: names and digests beside The Sleuth Kit, bsdtar and 7z; SUITES=1: tables with residue
	bench/run foreign-images $(DIR) $(if $(PFH),--pfh $(PFH)) $(if $(SUITES),--suites)

detection: ## related files that pfh compare finds and unrelated ones that it lists, over labelled sets from Debian's packages
	[ -d target/bench/t5-small ] || bench/run corpus target/bench/t5-small --small
	bench/run detection target/bench/t5-small
	[ -d target/bench/programs ] || bench/run programs target/bench/programs
	bench/run detection-kinds target/bench/t5-small target/bench/programs

aarch64: ## the tests of the second architecture that each change must pass, under qemu-user
	cross/test quick

aarch64-nightly: ## no warnings, every test, and the same output as on this machine, on aarch64 under qemu-user
	cross/test all

portable: ## the portable system layer: its tests, and the same output as with the one for Linux
	cross/portable

windows: ## the workspace for Windows without a warning; tests under Wine, and the same output as on Linux
	cross/windows/check
	cross/windows/test

macos: ## the workspace for macOS without a warning, on both processors
	cross/macos/check
	PFH_MACOS=x86_64 cross/macos/check

dist: ## what is released, in target/release-files: .deb, tarball, debug information, list of components, zip for Windows, tarballs for macOS, sealed checksums; each tried in a root of its own or under Wine, those for macOS checked
	rm -rf target/release-files
	dist/windows target/release-files
	dist/macos target/release-files
	dist/build target/release-files
	dist/check target/release-files
	dist/check-windows target/release-files

corpus: $(CORPUS) ## build the benchmark's corpus (1.22 GB)
$(CORPUS):
	bench/run corpus $@

bench: $(CORPUS) ## pfh against its peers on the corpus, and a dated record in bench/record
	bench/run compare all --corpus $(CORPUS) --record

cftt: ## the tests of disk imaging that docs/tests/cftt.md names, with FUSE, loop devices and disks in memory; needs root, and fails where they are missing
	PFH_TIERS=faults,foreign,slow PFH_REQUIRE_INJECTORS=1 $(CARGO) test --package pfh --package pfh-cli --test jobs --test cli -- \
		$$(sed -n '/^| [AD][AMO]-/p' docs/tests/cftt.md | cut -d'|' -f4 | grep -o '[a-z0-9_]\{8,\}' | sort -u) cftt::

fuzz: ## each fuzz target for FUZZ_SECONDS (needs cargo-fuzz and a nightly toolchain)
	cd fuzz && for target in $$($(CARGO) fuzz list); do $(CARGO) fuzz run "$$target" -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done
