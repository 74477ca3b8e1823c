// SPDX-License-Identifier: Apache-2.0
// Streams, events, copies and kernels.
#include "Exports.h"
#include "Modules.h"
#include <cstring>
#include <utility>

namespace smp::cuda {

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  *stream = CUstream_st::create(*gpu);
  return *stream ? gpu->state() : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  stream->synchronize();
  return stream->gpu.state();
}

CUresult smpEmulatorSeed(CUstream stream, uint64_t seed) {
  stream->put([stream, seed] { stream->random.seed(seed); });
  return CUDA_SUCCESS;
}

CUresult smpEmulatorBuffer(CUstream stream, unsigned parameter, uint64_t bytes,
                           EmulatorBufferUse use) {
  stream->known.push_back({parameter, bytes, use});
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user) {
  stream->put([function, user] { function(user); });
  return stream->gpu.state();
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  *event = new CUevent_st(*gpu);
  return gpu->state();
}

CUresult cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  stream->put([state = event->state,
               number = event->state->announce()] { state->complete(number); },
              CUstream_st::When::Always);
  return stream->gpu.state();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  stream->put([state = event->state,
               number = event->state->announced()] { state->waitFor(number); },
              CUstream_st::When::Always);
  return stream->gpu.state();
}

CUresult cuEventQuery(CUevent event) {
  return event->state->done() ? event->gpu.state() : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  event->state->wait();
  return event->gpu.state();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  if (!start->state->done() || !end->state->done())
    return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(end->state->time() -
                                                           start->state->time())
                      .count();
  return start->gpu.state();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Puts work into the stream that may find an address wrong.
template <typename Work>
static CUresult putCopy(CUstream stream, const Work &work) {
  stream->put([stream, work] {
    if (const auto error = work(*stream->gpu.memory()))
      stream->gpu.fail(CUDA_ERROR_ILLEGAL_ADDRESS, *error);
  });
  return stream->gpu.state();
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return putCopy(stream, [=](emulator::Memory &memory) {
    return memory.copyIn(to, from, bytes);
  });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return putCopy(stream, [=](emulator::Memory &memory) {
    return memory.copyOut(to, from, bytes);
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return putCopy(stream, [=](emulator::Memory &memory) {
    return memory.copy(to, from, bytes);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext fromContext, size_t bytes,
                           CUstream stream) {
  Gpu &peer = *reinterpret_cast<Gpu *>(fromContext);
  return putCopy(
      stream, [=, &peer](emulator::Memory &memory) -> emulator::Memory::Error {
        std::vector<std::byte> between(bytes);
        if (auto error = peer.memory()->copyOut(between.data(), from, bytes))
          return error;
        return memory.copyIn(to, between.data(), bytes);
      });
}

/// One row of a copy whose ends are offsets from what the copy names.
static emulator::Memory::Error copyRow(emulator::Memory &memory,
                                       const CUDA_MEMCPY2D &copy, uint64_t to,
                                       uint64_t from) {
  const size_t bytes = copy.WidthInBytes;
  if (copy.srcMemoryType == kMemoryHost)
    return memory.copyIn(copy.dstDevice + to,
                         static_cast<const char *>(copy.srcHost) + from, bytes);
  if (copy.dstMemoryType == kMemoryHost)
    return memory.copyOut(static_cast<char *>(copy.dstHost) + to,
                          copy.srcDevice + from, bytes);
  return memory.copy(copy.dstDevice + to, copy.srcDevice + from, bytes);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  if (copy->srcPitch < copy->WidthInBytes ||
      copy->dstPitch < copy->WidthInBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return putCopy(
      stream,
      [copy = *copy](emulator::Memory &memory) -> emulator::Memory::Error {
        for (size_t row = 0; row < copy.Height; ++row)
          if (auto error =
                  copyRow(memory, copy,
                          (copy.dstY + row) * copy.dstPitch + copy.dstXInBytes,
                          (copy.srcY + row) * copy.srcPitch + copy.srcXInBytes))
            return error;
        return std::nullopt;
      });
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

/// Gives the caller the text of an error, where he has room for it.
static void writeLog(const std::string &text, unsigned count,
                     const int *options, void **values) {
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kJitErrorLog)
      log = static_cast<char *>(values[i]);
    if (options[i] == kJitErrorLogBytes)
      bytes = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (!log || bytes == 0)
    return;
  const size_t length = std::min(bytes - 1, text.size());
  std::memcpy(log, text.data(), length);
  log[length] = 0;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (gpu->state() != CUDA_SUCCESS)
    return gpu->state();
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU; // Only PTX runs here.
  static const std::vector<std::unique_ptr<emulator::Kernel>> kNoKernels;
  std::string error;
  auto code = emulator::Module::parse(static_cast<const char *>(image),
                                      kCapability, *gpu->memory(), error);
  for (const auto &kernel : code ? code->kernels() : kNoKernels)
    if (kernel->staticSharedBytes() > unsigned(kUsualShared))
      error = "kernel " + kernel->name() + " declares " +
              std::to_string(kernel->staticSharedBytes()) +
              " bytes of .shared, of at most " + std::to_string(kUsualShared);
  if (!error.empty()) {
    writeLog(error, count, options, values);
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = new CUmod_st{*gpu, std::move(code)};
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  const emulator::Kernel *kernel = module->code->kernel(name);
  if (!kernel)
    return CUDA_ERROR_NOT_FOUND;
  *function = &module->functions.emplace_back(
      module->gpu, *kernel, kUsualShared - int(kernel->staticSharedBytes()));
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (attribute != kMaxDynamicSharedBytes || value < 0 ||
      value > kMostShared - int(function->kernel.staticSharedBytes()))
    return CUDA_ERROR_INVALID_VALUE;
  function->mostDynamicShared = value;
  return CUDA_SUCCESS;
}

CUresult smpEmulatorCounts(CUfunction function, EmulatorCounts *counts) {
  *counts = function->counts();
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **) {
  if (function->gpu.state() != CUDA_SUCCESS)
    return function->gpu.state();
  CUstream_st *stream = config->hStream;
  auto known = std::exchange(stream->known, {});
  auto form = LaunchForm::make(*function, *config, parameters);
  if (!form)
    return CUDA_ERROR_INVALID_VALUE;
  form->known = std::move(known);
  stream->put([work = form->ready(), stream]() mutable { work(*stream); });
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  const CUlaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                                 blockZ, sharedBytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

} // namespace smp::cuda
