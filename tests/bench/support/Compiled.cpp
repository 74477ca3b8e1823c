// SPDX-License-Identifier: Apache-2.0
#include "Compiled.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/compile/Compile.h"
#include "smp/ir/WeightStore.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace smp::bench {

struct Compiled::Bytes {
  void *memory = nullptr;
  size_t size = 0;
  ~Bytes() { std::free(memory); }
};

static void *allocate(size_t bytes) {
  constexpr size_t kPage = 4096;
  return std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
}

Compiled::Compiled(const std::string &text, int64_t partitions)
    : bytes(std::make_unique<Bytes>()) {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  compile::CompileOptions options;
  options.placement.partitions = partitions;
  if (!module)
    std::exit(1);
  auto exported = compile::compile(*module, ir::WeightStore(), options);
  if (failed(exported))
    std::exit(1);
  std::vector<std::byte> program = orDie(serializeProgram(exported->program));
  bytes->size = program.size();
  bytes->memory = allocate(program.size());
  std::memcpy(bytes->memory, program.data(), program.size());
}

Compiled::~Compiled() = default;
Compiled::Compiled(Compiled &&) noexcept = default;

Session Compiled::open(const std::string &devices) const {
  SharedProgram program = orDie(SharedProgram::read(
      {static_cast<const std::byte *>(bytes->memory), bytes->size}));
  SessionOptions options;
  options.devices = devices;
  options.level = levelName();
  return orDie(Session::open(program, options));
}

static double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

Paired timeInTurn(const std::function<void()> &ours,
                  const std::function<void()> &theirs, int rounds) {
  auto once = [](const std::function<void()> &call, int calls) {
    call(); // Warm what the other one has evicted.
    double start = seconds();
    for (int i = 0; i < calls; ++i)
      call();
    return (seconds() - start) / calls;
  };
  // Some 10 ms per measurement.
  int calls = std::clamp(int(0.01 / std::max(once(ours, 1), 1e-9)), 1, 10000);
  std::vector<double> first, second;
  for (int round = 0; round < rounds; ++round) {
    first.push_back(once(ours, calls));
    second.push_back(once(theirs, calls));
  }
  return {median(first), median(second)};
}

Numbers::Numbers(size_t count)
    : count(count),
      values(static_cast<float *>(allocate(count * sizeof(float)))) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (size_t i = 0; i < count; ++i)
    values[i] = uniform(random);
}
Numbers::~Numbers() { std::free(values); }

std::string levelName() {
  if (const char *lowered = std::getenv("SMP_CPU_LEVEL"))
    return lowered;
  return __builtin_cpu_supports("x86-64-v4")   ? "v4"
         : __builtin_cpu_supports("x86-64-v3") ? "v3"
                                               : "v2";
}

double greatestDifference(const float *a, const float *b, size_t count) {
  double greatest = 0;
  for (size_t i = 0; i < count; ++i)
    greatest = std::max(greatest, double(std::fabs(a[i] - b[i])));
  return greatest;
}

} // namespace smp::bench
