// SPDX-License-Identifier: Apache-2.0
// What the driver asks of libcuda: how often, and with which image.
#include "CountingCuda.h"
#include "smp/drivers/cuda/CudaDriver.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {

constexpr const char *kLibrary = SMP_FAKE_CUDA "counting.so";

CountingCuda &countingCuda() {
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return *reinterpret_cast<CountingCudaOf *>(dlsym(library, "countingCuda"))();
}

std::unique_ptr<Device> openDevice(std::string *log = nullptr) {
  DeviceOptions options;
  options.log = [log](LogLevel, std::string_view line) {
    if (log)
      *log += line;
  };
  const DeviceSpec spec{0, "cuda", 0, ""};
  auto opened = makeCudaDriver("cuda", kLibrary)->open({&spec, 1}, options);
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return std::move(opened->front());
}

/// An ELF file of a header and one section, `bytes` of it.
std::vector<std::byte> elfOf(size_t bytes = 200) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 1;
  Elf64_Shdr section = {};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = sizeof header + sizeof section;
  section.sh_size = 200 - section.sh_offset;
  std::vector<std::byte> all(200);
  std::memcpy(all.data(), &header, sizeof header);
  std::memcpy(all.data() + sizeof header, &section, sizeof section);
  all.resize(bytes);
  return all;
}

constexpr std::string_view kPtx = ".version 8.0";

/// The first bytes of what is loaded of an image with a cubin for each of these
/// architectures, on a GPU of that capability.
std::vector<std::string> loadedOf(int capability,
                                  std::vector<std::string> architectures,
                                  const std::vector<std::byte> &cubin,
                                  std::string *log = nullptr) {
  CountingCuda &cuda = countingCuda();
  cuda.capability = capability;
  cuda.loaded.clear();
  auto device = openDevice(log);
  std::vector<AssembledImage> cubins;
  for (const std::string &architecture : architectures)
    cubins.push_back({architecture, cubin});
  EXPECT_TRUE(device->loadImage(std::as_bytes(std::span(kPtx)), cubins).ok());
  EXPECT_EQ(device->jitSeconds() > 0, cuda.loaded.back() == ".ver");
  return cuda.loaded;
}

const std::vector<std::string> kCubin{ELFMAG}, kText{".ver"};

TEST(CudaImages, ACubinThatFitsTheGpuIsLoadedFirst) {
  const std::vector<std::byte> cubin = elfOf();
  EXPECT_EQ(loadedOf(80, {"sm_80", "sm_90a"}, cubin), kCubin);
  EXPECT_EQ(loadedOf(86, {"sm_90a", "sm_80"}, cubin), kCubin);
  EXPECT_EQ(loadedOf(90, {"sm_80", "sm_90a"}, cubin), kCubin);
  EXPECT_EQ(loadedOf(90, {"sm_90"}, cubin), kCubin);
  EXPECT_EQ(loadedOf(90, {"sm_80"}, cubin), kText);
  EXPECT_EQ(loadedOf(80, {"sm_86", "sm_90a"}, cubin), kText);
  EXPECT_EQ(loadedOf(100, {"sm_80", "sm_90a"}, cubin), kText);
  EXPECT_EQ(loadedOf(80, {"", "sm_", "80"}, cubin), kText);
}

TEST(CudaImages, ADamagedCubinIsNamedAndItsPtxIsTaken) {
  CountingCuda &cuda = countingCuda();
  std::string log;
  for (size_t bytes : {0, 3, 60, 100, 199}) {
    log.clear();
    EXPECT_EQ(loadedOf(80, {"sm_80"}, elfOf(bytes), &log), kText);
    EXPECT_EQ(log, "device 'cuda:0': a cubin of " + std::to_string(bytes) +
                       " bytes for sm_80 is damaged, and its PTX is taken: it "
                       "is no whole ELF file");
  }
  log.clear();
  const std::vector<std::string> both{ELFMAG, ".ver"};
  cuda.ofCubins = cuda::CUDA_ERROR_INVALID_IMAGE;
  EXPECT_EQ(loadedOf(80, {"sm_80"}, elfOf(), &log), both);
  EXPECT_NE(log.find("is damaged, and its PTX is taken"), log.npos) << log;
  log.clear();
  cuda.ofCubins = cuda::CUDA_ERROR_NO_BINARY_FOR_GPU;
  EXPECT_EQ(loadedOf(80, {"sm_80"}, elfOf(), &log), both);
  EXPECT_EQ(log, "");
  cuda.ofCubins = cuda::CUDA_SUCCESS;
}

/// Launches of one kernel, each with memory of its own.
class Sequence {
public:
  explicit Sequence(size_t launches) {
    auto image = device->loadImage(std::as_bytes(std::span(kPtx))).take();
    kernel =
        device->makeKernel(image, {"k", {1, 1, 1}, 0, 1, BlockLaunch()}).take();
    buffer = device->allocate(launches * 64).take();
    for (size_t i = 0; i < launches; ++i)
      views.push_back({buffer.get(), i * 64, 64});
    for (const BufferView &view : views)
      calls.push_back({kernel.get(), {&view, 1}, &info});
  }

  /// How often a run calls the functions that launching may need.
  std::map<std::string, size_t> callsOf(uint64_t *times = nullptr) {
    const CountingCuda &cuda = countingCuda();
    std::map<std::string, size_t> counts;
    const auto count = [&](int sign) {
#define SMP_COUNT(name, exported, arguments)                                   \
  counts[#name] += size_t(sign) * cuda.calls(#name);
      SMP_CUDA_FUNCTIONS(SMP_COUNT)
#undef SMP_COUNT
    };
    count(-1);
    stream->launchSequence(calls, times);
    count(1);
    std::erase_if(counts, [](const auto &each) { return each.second == 0; });
    EXPECT_EQ(counts.extract("cuCtxPushCurrent").mapped(), 1u);
    EXPECT_EQ(counts.extract("cuCtxPopCurrent").mapped(), 1u);
    return counts;
  }

private:
  std::unique_ptr<Device> device = openDevice();
  LaunchInfo info{"kernel", "stage", {"op"}};
  std::unique_ptr<DeviceKernel> kernel;
  std::unique_ptr<Buffer> buffer;
  std::vector<BufferView> views;
  std::vector<LaunchCall> calls;
  std::unique_ptr<Stream> stream = device->makeStream().take();
};

using Counts = std::map<std::string, size_t>;

TEST(CudaCalls, ASequenceThatComesAgainIsGraphsOf32Launches) {
  countingCuda().capability = 80;
  Sequence sequence(60);
  EXPECT_EQ(sequence.callsOf(),
            (Counts{{"cuLaunchKernel", 60}, {"cuEventRecord", 60}}));
  EXPECT_EQ(sequence.callsOf(), (Counts{{"cuGraphCreate", 2},
                                        {"cuGraphAddKernelNode", 60},
                                        {"cuGraphInstantiateWithFlags", 2},
                                        {"cuGraphDestroy", 2},
                                        {"cuGraphLaunch", 2},
                                        {"cuEventRecord", 2}}));
  EXPECT_EQ(sequence.callsOf(),
            (Counts{{"cuGraphLaunch", 2}, {"cuEventRecord", 2}}));
}

TEST(CudaCalls, AFewLaunchesAreNoGraph) {
  Sequence sequence(3);
  for (int runs = 0; runs < 4; ++runs)
    EXPECT_EQ(sequence.callsOf(),
              (Counts{{"cuLaunchKernel", 3}, {"cuEventRecord", 3}}));
}

TEST(CudaCalls, LaunchesWhoseTimesAreWantedAreNoGraph) {
  std::vector<uint64_t> times(9); // Written when the stream ends.
  Sequence sequence(8);
  for (int runs = 0; runs < 4; ++runs) {
    const Counts counts = sequence.callsOf(times.data());
    EXPECT_EQ(counts.at("cuLaunchKernel"), 8u);
    EXPECT_FALSE(counts.count("cuGraphLaunch"));
  }
}

TEST(CudaCalls, AGraphThatIsRefusedIsLaunchesOneByOne) {
  CountingCuda &cuda = countingCuda();
  cuda.ofGraphs = cuda::CUDA_ERROR_OUT_OF_MEMORY;
  Sequence sequence(8);
  for (int runs = 0; runs < 4; ++runs) {
    const Counts counts = sequence.callsOf();
    EXPECT_EQ(counts.at("cuLaunchKernel"), 8u);
    EXPECT_EQ(counts.count("cuGraphInstantiateWithFlags"), runs == 1 ? 1u : 0u);
    EXPECT_EQ(counts.count("cuGraphLaunch"), 0u);
    EXPECT_EQ(counts.count("cuGraphCreate"), runs == 1 ? 1u : 0u);
    EXPECT_EQ(counts.count("cuGraphDestroy"), runs == 1 ? 1u : 0u);
  }
  cuda.ofGraphs = cuda::CUDA_SUCCESS;
}

TEST(CudaCalls, TheDriverRemembersLaunchesWithoutAskingForEach) {
  Sequence sequence(3);
  size_t asked = 0;
  for (int runs = 0; runs < 64; ++runs) { // 64 launches are marked.
    const Counts counts = sequence.callsOf();
    asked += counts.count("cuEventQuery") ? counts.at("cuEventQuery") : 0;
  }
  EXPECT_LT(asked, 3 * 64 / 4u);
}

TEST(CudaCalls, TimestampsAreAskedForWhenAStepEnds) {
  CountingCuda &cuda = countingCuda();
  auto device = openDevice();
  auto stream = device->makeStream().take();
  auto end = device->makeEvent();
  std::vector<uint64_t> times(10, 0);
  stream->timestamp(&times[0]); // Gives the GPU's clock a beginning.
  const size_t waited = cuda.calls("cuEventSynchronize");
  const size_t asked = cuda.calls("cuEventElapsedTime");
  for (uint64_t &time : times)
    stream->timestamp(&time);
  stream->record(*end);
  EXPECT_EQ(cuda.calls("cuEventElapsedTime"), asked);
  EXPECT_EQ(cuda.calls("cuEventSynchronize"), waited);
  ASSERT_TRUE(end->wait().ok());
  EXPECT_EQ(cuda.calls("cuEventElapsedTime"), asked + times.size() + 1);
  for (uint64_t time : times)
    EXPECT_GT(time, 0u);
}

} // namespace
