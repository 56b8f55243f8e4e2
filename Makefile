# Two commands on a fresh machine: `make doctor` (installs what is needed, builds, runs) and `make check` (all tests).
# Meson does the work; this file only remembers how it is called.
BUILD ?= build
CASES ?= ../shared/cases

.PHONY: all windows-zip doctor check check-long accuracy bench format clean
all: $(BUILD)/build.ninja
	@sh tools/reconfigure.sh $(BUILD)
	ninja -C $(BUILD) product layers.stamp purity.stamp

$(BUILD)/build.ninja:
	@sh tools/need.sh build
	meson setup $(BUILD)
	@sh tools/reconfigure.sh $(BUILD) fresh

doctor: all
	@$(BUILD)/tenon doctor; s=$$?; case $$s in 0|1|3) exit 0 ;; *) exit $$s ;; esac

check:
	@sh tools/need.sh check
	python3 tools/check.py

check-long:
	@sh tools/need.sh check
	python3 tools/check.py --long

# How often `tenon explain` is right on reports that lie beside the project: CASES=FOLDER
accuracy: all
	TENON=$(BUILD)/tenon python3 tools/accuracy.py --cases $(CASES) --misses

# tenon.exe in a zip with its digest: build-win/dist
windows-zip:
	@sh tools/need.sh check
	python3 tools/windows_zip.py

bench: all
	sh bench/run.sh
	sh bench/probes.sh

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.def' | grep -v -e schema.def -e ^tests/fuzz/corpus)

clean:
	rm -rf build build-*
