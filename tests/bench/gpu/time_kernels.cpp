// SPDX-License-Identifier: Apache-2.0
// What kernels take on a device, beside a copy of its memory in the same run.

#include "KernelTensors.h"
#include "smp/device/Device.h"
#include "smp/device/Stream.h"
#include "smp/drivers/RegisterDrivers.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace smp;
using namespace smp::test;

static constexpr char kUsage[] =
    "usage: time_kernels DRIVER STEPS PROGRAM...\n"
    "Runs every entry of programs of one partition so many times on the\n"
    "driver's first device: cuda, cuda-emulator or cpu. Inputs are random; "
    "the\n"
    "name of one of integers says what they are below: below_1 are all 0.\n"
    "Prints a row per entry: launches, bytes of inputs and outputs, the "
    "median\n"
    "of what its kernels took, bytes per second over those of a copy, what "
    "the\n"
    "process spent on its processors per launch; and what opening took while\n"
    "the device was open already.\n";

namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

/// Holds the first device of a driver, so that nobody after it has to open it.
class Copies {
public:
  static StatusOr<Copies> open(const std::string &driver) {
    Copies copies;
    registerDrivers(copies.drivers);
    SMP_ASSIGN_OR_RETURN(Driver * found, copies.drivers.find(driver));
    const DeviceSpec spec{0, driver, 0, ""};
    SMP_ASSIGN_OR_RETURN(auto devices, found->open({&spec, 1}, {}));
    copies.device = std::move(devices.front());
    return copies;
  }

  /// Bytes read and written per second, the median of so many copies.
  StatusOr<double> rate(uint64_t bytes, int times) {
    SMP_ASSIGN_OR_RETURN(auto from, device->allocate(bytes));
    SMP_ASSIGN_OR_RETURN(auto to, device->allocate(bytes));
    SMP_ASSIGN_OR_RETURN(auto stream, device->makeStream());
    auto done = device->makeEvent();
    const std::vector<char> zeros(bytes);
    stream->upload({from.get()}, zeros.data(), {bytes});
    std::vector<uint64_t> stamps(size_t(times) + 2);
    for (uint64_t &stamp : stamps) {
      stream->copy({to.get()}, {from.get()}, {bytes});
      stream->timestamp(&stamp);
    }
    stream->record(*done);
    SMP_RETURN_IF_ERROR(done->wait());
    std::vector<double> seconds; // The first copy comes after the upload.
    for (size_t i = 1; i < stamps.size(); ++i)
      seconds.push_back(double(stamps[i] - stamps[i - 1]) * 1e-9);
    return 2 * double(bytes) / std::max(median(seconds), 1e-9);
  }

private:
  DriverRegistry drivers;
  std::unique_ptr<Device> device;
};

/// What stages of an entry took so far.
struct Spent {
  double seconds = 0;
  uint64_t runs = 0;
};

Spent spentBy(const Session &session, const std::string &entry) {
  Spent spent;
  for (const StageTime &stage : session.stageTimes())
    if (stage.entry == entry) {
      spent.seconds += stage.measuredSeconds * double(stage.runs);
      spent.runs += stage.runs;
    }
  return spent;
}

/// Drawn up to so many elements, and these again and again: drawing takes
/// longer than kernels, and what their values are is nothing to them.
HostTensor randomInput(const TensorSignature &input, std::mt19937 &random) {
  constexpr int64_t kDrawn = 1 << 20;
  HostTensor tensor = HostTensor::zeros({input.dtype, input.shape});
  Operand operand{{input.dtype, {std::min(tensor.type.elements(), kDrawn)}}};
  static constexpr char kBelow[] = "below_";
  if (!isFloat(input.dtype)) {
    operand.fill = Fill::Index;
    const bool isSaid = input.name.starts_with(kBelow);
    operand.bound = isSaid ? std::atoll(&input.name[strlen(kBelow)]) : 1;
  }
  const HostTensor drawn = randomTensor(operand, random);
  for (size_t at = 0; at < tensor.bytes.size(); at += drawn.bytes.size())
    std::memcpy(&tensor.bytes[at], drawn.bytes.data(),
                std::min(drawn.bytes.size(), tensor.bytes.size() - at));
  return tensor;
}

uint64_t bytesOf(const EntrySignature &entry) {
  uint64_t bytes = 0;
  for (const auto *tensors : {&entry.inputs, &entry.outputs})
    for (const TensorSignature &tensor : *tensors)
      bytes += uint64_t(TensorType{tensor.dtype, tensor.shape}.bytes());
  return bytes;
}

/// A row of the table.
Status timeEntry(Session &session, const EntrySignature &entry,
                 uint64_t launches, int steps, double copyRate) {
  std::mt19937 random(1);
  std::vector<HostTensor> values;
  std::vector<InputTensor> inputs;
  for (const TensorSignature &input : entry.inputs)
    values.push_back(randomInput(input, random));
  for (size_t i = 0; i < values.size(); ++i)
    inputs.push_back(
        {entry.inputs[i].name,
         {values[i].type.dtype, values[i].type.shape, values[i].bytes.data()}});
  SMP_RETURN_IF_ERROR(session.step(entry.name, inputs).status()); // Loads.
  std::vector<double> seconds;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < steps; ++i) {
    const Spent before = spentBy(session, entry.name);
    SMP_RETURN_IF_ERROR(session.step(entry.name, inputs).status());
    seconds.push_back(spentBy(session, entry.name).seconds - before.seconds);
  }
  const double processor = double(std::clock() - begin) / CLOCKS_PER_SEC;
  const double taken = std::max(median(seconds), 1e-9);
  const double rate = double(bytesOf(entry)) / taken;
  std::printf("| %s | %llu | %llu | %.1f | %.3f | %.2f |\n", entry.name.c_str(),
              static_cast<unsigned long long>(launches),
              static_cast<unsigned long long>(bytesOf(entry)), taken * 1e6,
              rate / copyRate,
              processor * 1e6 /
                  (steps * double(std::max(launches, uint64_t(1)))));
  std::fflush(stdout);
  return Status();
}

Status timeProgram(const std::string &driver, const std::string &path,
                   int steps, double copyRate) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const Program &program = loaded.program();
  SMP_ASSIGN_OR_RETURN(SharedProgram shared, SharedProgram::open(path));
  SessionOptions options;
  for (uint32_t p = 0; p < program.partitions; ++p)
    options.devices += (p ? "," : "") + driver + ":" + std::to_string(p) + "=0";
  SMP_ASSIGN_OR_RETURN(Session session, Session::open(shared, options));
  const LoadTime load = session.loadTime();
  std::printf(
      "\n%s: ready in %.1f ms without weights, of which %.1f ms are for "
      "machine code\n\n"
      "| entry | launches | bytes | µs | of a copy's rate | processor µs "
      "per launch |\n|---|---|---|---|---|---|\n",
      path.substr(path.rfind('/') + 1).c_str(),
      (load.loadSeconds + load.jitSeconds + load.packSeconds) * 1e3,
      load.jitSeconds * 1e3);
  for (const EntrySignature &signature : session.entries())
    for (const Entry &entry : program.entries)
      if (entry.name == signature.name) {
        uint64_t launches = 0;
        for (uint32_t stage : entry.stages)
          launches += program.stages[stage].launches.size();
        SMP_RETURN_IF_ERROR(
            timeEntry(session, signature, launches, steps, copyRate));
      }
  return Status();
}

Status timeAll(const std::string &driver, int steps,
               std::span<char *> programs) {
  SMP_ASSIGN_OR_RETURN(Copies copies, Copies::open(driver));
  const uint64_t bytes = uint64_t(driver == "cuda" ? 256 : 1) << 20;
  SMP_ASSIGN_OR_RETURN(const double copyRate, copies.rate(bytes, steps));
  std::printf("A copy of %llu MiB reads and writes %.1f GB/s.\n",
              static_cast<unsigned long long>(bytes >> 20), copyRate * 1e-9);
  for (const char *program : programs)
    SMP_RETURN_IF_ERROR(timeProgram(driver, program, steps, copyRate));
  return Status();
}

} // namespace

int main(int argc, char **argv) {
  const int steps = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc < 4 || steps < 1) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const Status status = timeAll(argv[1], steps, {argv + 3, size_t(argc) - 3});
  if (!status.ok())
    std::fprintf(stderr, "time_kernels: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
