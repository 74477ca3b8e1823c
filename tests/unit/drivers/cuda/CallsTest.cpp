// SPDX-License-Identifier: Apache-2.0
// What the driver asks of libcuda: how often, and with which image.
#include "CountingCuda.h"
#include "smp/drivers/cuda/CudaDriver.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

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

TEST(CudaCalls, ASequenceCostsEachLaunchTheCallAndItsMark) {
  CountingCuda &cuda = countingCuda();
  cuda.capability = 80;
  auto device = openDevice();
  auto image = device->loadImage(std::as_bytes(std::span(kPtx))).take();
  const BlockLaunch blocks;
  auto kernel =
      device->makeKernel(image, {"k", {1, 1, 1}, 0, 2, blocks}).take();
  auto buffer = device->allocate(64).take();
  auto stream = device->makeStream().take();
  const LaunchInfo info{"kernel", "stage", {"op"}};
  const BufferView views[] = {{buffer.get()}, {buffer.get(), 32}};
  const std::vector<LaunchCall> calls(100, {kernel.get(), views, &info});
  const std::vector<std::pair<const char *, size_t>> expected = {
      {"cuCtxPushCurrent", 1},    {"cuCtxPopCurrent", 1},
      {"cuLaunchKernel", 100},    {"cuEventRecord", 100},
      {"cuMemcpyHtoDAsync", 0},   {"cuMemcpyDtoHAsync", 0},
      {"cuStreamSynchronize", 0}, {"cuEventSynchronize", 0},
      {"cuEventCreate", 0}};
  std::vector<size_t> before;
  for (const auto &[name, count] : expected)
    before.push_back(cuda.calls(name));
  stream->launchSequence(calls, nullptr);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(cuda.calls(expected[i].first) - before[i], expected[i].second)
        << expected[i].first;
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
