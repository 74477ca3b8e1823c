# SPDX-License-Identifier: Apache-2.0
# One entry per thing a person does. Each works as the first command.
PREFIX ?= /usr/local

.PHONY: help build demo demo-inference demo-cuda test test-long bench lint format tidy clean
.PHONY: install install-runtime uninstall packages wheel
help:
	@sed -n 's/^## //p' Makefile

## make build    compiler, runtime and tests, in build/dev
build: deps
	cmake --preset dev && cmake --build --preset dev

## make demo     train a transformer over two devices, stop it, resume it
demo: deps
	utils/demo char_lm

## make demo-inference  compile real models, split them over two devices, run them
demo-inference: deps
	utils/demo compare_splits file_type

## make demo-cuda  the demo of training on a GPU, or without one emulated and small
demo-cuda: deps
	utils/demo char_lm/run-cuda

## make test     every test, the sanitizer builds and the runtime without MLIR
test: deps
	utils/test

## make test-long  the same, with what takes too long for every day
test-long: deps
	SMP_TEST_LONG=1 utils/test

## make bench    measurements, beside the libraries that people would use else
bench: deps
	utils/bench

## make lint     everything that is checked without compiling
lint: deps
	utils/lint

## make format   put right what make lint can put right
format: deps
	utils/lint -f

## make tidy     clang-tidy over the files changed since main (BASE=<commit>)
tidy: build
	utils/tidy $(BASE)

## make install  the release build, below PREFIX=/usr/local
install: deps
	cmake --preset release && cmake --build --preset release
	cmake --install build/release --prefix "$(PREFIX)"

## make install-runtime  the runtime alone, for applications: no LLVM, any compiler
install-runtime:
	utils/install-deps --runtime
	cmake --preset embed && cmake --build --preset embed
	cmake --install build/embed --prefix "$(PREFIX)"

## make uninstall  remove what these have installed below PREFIX
uninstall:
	utils/uninstall "$(PREFIX)"

## make packages  Debian packages of it, in build/packages
packages: deps
	cmake --preset packages && cmake --build --preset packages
	cpack --config build/packages/CPackConfig.cmake -B build/packages

## make wheel    the package for Python, in build/wheels: no LLVM, any compiler
wheel:
	utils/install-deps --wheel
	python3 -m pip wheel --no-deps -w build/wheels ./python

## make clean    forget every build
clean:
	rm -rf build

.PHONY: deps
deps:
	@utils/install-deps
