// SPDX-License-Identifier: Apache-2.0
// What becomes of a trace: an error that says what is wrong, or steps that can
// be drawn.
#include "smp/model/Config.h"
#include "smp/tools/Page.h"
#include <cmath>
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Two entries of two stages each, which are called as in the seeds.
static Program makeProgram() {
  Program program;
  for (const char *name : {"train", "predict"}) {
    Entry entry;
    entry.name = name;
    for (int i = 0; i < 2; ++i) {
      Stage stage;
      stage.name = entry.name + "_" + std::to_string(i);
      entry.stages.push_back(uint32_t(program.stages.size()));
      program.stages.push_back(std::move(stage));
    }
    program.entries.push_back(std::move(entry));
  }
  return program;
}

static void requireDrawable(const MeasuredStep &step) {
  double first = HUGE_VAL;
  for (const MeasuredStep::Span &span : step.spans) {
    require(span.stage < 2 && span.microbatch < uint32_t(kMostMicrobatches));
    require(span.start >= 0 && span.start <= span.end &&
            std::isfinite(span.end));
    first = std::min(first, span.start);
  }
  require(step.spans.empty() || first == 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Program &program = *new Program(makeProgram());
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto steps = readTrace(program, text);
  if (!steps.ok()) {
    require(!steps.status().message().empty());
    return 0;
  }
  require(steps->size() == program.entries.size());
  bool hasSpans = false;
  for (const MeasuredStep &step : *steps) {
    requireDrawable(step);
    hasSpans |= !step.spans.empty();
  }
  require(hasSpans);
  return 0;
}
