// SPDX-License-Identifier: Apache-2.0
// usage: consumer PROGRAM VERSION: loads a program with the installed runtime,
// and sees that what is no program is refused with its name.

#include "smp/checkpoint/CheckpointManager.h"
#include "smp/runtime/Session.h"
#include <iostream>
#include <stdexcept>

static void check(bool good, const std::string &what) {
  if (!good)
    throw std::runtime_error(what);
}

/// Interfaces that an application implements: with exceptions and RTTI here.
struct Watcher : smp::StepObserver {
  smp::Status onStep(const smp::CompletedStep &) override { return {}; }
};
struct Position : smp::Saveable {
  smp::StatusOr<smp::SavedValue> save() const override {
    return smp::SavedValue{smp::DType::U8, {0}, {}};
  }
  smp::Status check(const smp::TensorView &) const override { return {}; }
  void restore(const smp::TensorView &) override {}
};

static void checkObservers() {
  Watcher watcher;
  check(watcher.onStep({}).ok(), "an observer failed");
  Position position;
  int64_t epoch = 0;
  smp::CheckpointManager manager(
      smp::Checkpoint{{"position", position}, {"epoch", epoch}},
      {.directory = "nowhere", .maxToKeep = 0});
  std::string message = manager.save().status().message();
  check(message.find("got 0.") != std::string::npos, message);
}

/// What a program shows of a value, in two microbatches of two elements.
static void checkStatistics() {
  const smp::Tap tap{"w",
                     smp::TapKind::Statistics,
                     smp::TapRole::Parameter,
                     {smp::DType::F32, {2}}};
  // The least, the greatest, the least size, sums of elements, sizes and
  // squares, spreads, NaNs and infinities.
  double records[] = {1, 3, 1, 4,  4,  10, 2, 2, 0, 0, //
                      5, 7, 5, 12, 12, 74, 2, 2, 0, 0};
  const int64_t shape[] = {2, 1, 10};
  const smp::ShownValue shown{
      &tap,
      {"statistics/w", smp::DType::F64, shape, records, sizeof(records), 0, 2}};
  const smp::TensorStatistics all = shown.statistics();
  check(all.count == 4 && all.mean() == 4 && all.variance() == 5 &&
            all.max == 7,
        "not the statistics of both microbatches");
}

/// What a step returns is the application's to compute with.
static void checkOutputs() {
  const float values[] = {1, 2, 3, 6};
  const int64_t shape[] = {4};
  smp::OutputTensor output{"y",
                           smp::DType::F32,
                           shape,
                           const_cast<float *>(values),
                           16,
                           /*batchAxis=*/0,
                           /*microbatches=*/2};
  smp::StatusOr<smp::HostTensor> mean = output.reduceMean();
  check(mean.ok() && mean->as<float>()[1] == 4, "not the mean");
  check(smp::toString(mean->type) == "f32[2]", "not the type of the mean");
  check(output.outputs().size() == 2, "not two microbatches");
  output.batchAxis = -1;
  check(!output.concat().ok(), "joined without an axis");
}

/// Errors passed on by what Status.h has for it.
static smp::StatusOr<size_t> countEntries(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(smp::SharedProgram program,
                       smp::SharedProgram::open(path).in("counting"));
  return program.entries().size();
}

int main(int argc, char **argv) {
  try {
    check(argc == 3, "usage: consumer PROGRAM VERSION");
    check(smp::versionString() == argv[2],
          "not version " + std::string(argv[2]));
    check(smp::toString(smp::DType::BF16) == "bf16", "not the name of bf16");
    auto entries = countEntries(argv[1]);
    check(entries.ok(), entries.status().message());
    check(*entries > 0, "a program without entries");
    auto nothing = countEntries("nowhere.smp");
    check(!nothing.ok(), "nowhere.smp was opened");
    std::string message = nothing.status().message();
    check(message.find("counting: ") == 0, message);
    check(message.find("nowhere.smp") != std::string::npos, message);
    checkObservers();
    checkStatistics();
    checkOutputs();
    std::cout << "consumer: smp " << smp::versionString() << " works\n";
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "consumer: " << error.what() << "\n";
    return 1;
  }
}
