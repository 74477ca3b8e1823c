// SPDX-License-Identifier: Apache-2.0
#include "HostCopies.h"
#include "DeviceCopy.h"
#include <algorithm>
#include <cstring>

namespace smp::cuda {

void HostCopies::run(void *pointer) {
  const Work &work = *static_cast<const Work *>(pointer);
  for (uint64_t row = 0; row < work.shape.rows; ++row)
    std::memcpy(work.to + row * work.shape.toPitch,
                work.from + row * work.shape.fromPitch, work.shape.rowBytes);
  work.done->fetch_add(1, std::memory_order_release);
}

Status HostCopies::putWork(std::byte *to, const std::byte *from,
                           const CopyShape &shape) {
  if (put - done.load(std::memory_order_acquire) >= works.size())
    SMP_RETURN_IF_ERROR(gpu->check(gpu->api.cuStreamSynchronize(stream),
                                   "cuStreamSynchronize"));
  Work &work = works[put % works.size()];
  work = {to, from, shape, &done};
  SMP_RETURN_IF_ERROR(
      gpu->check(gpu->api.cuLaunchHostFunc(stream, &HostCopies::run, &work),
                 "cuLaunchHostFunc"));
  ++put;
  return Status();
}

template <typename Piece>
Status HostCopies::cut(const CopyShape &shape, uint64_t toPitch,
                       uint64_t fromPitch, const Piece &piece) {
  if (!block.data()) {
    SMP_ASSIGN_OR_RETURN(block, PinnedBlock::allocate(gpu, kBlockBytes));
  }
  const uint64_t bytes = std::min(shape.rowBytes, kBlockBytes);
  const uint64_t rows = bytes < shape.rowBytes ? 1 : kBlockBytes / bytes;
  for (uint64_t row = 0; row < shape.rows; row += rows)
    for (uint64_t at = 0; at < shape.rowBytes; at += bytes)
      SMP_RETURN_IF_ERROR(piece(row * toPitch + at, row * fromPitch + at,
                                CopyShape{std::min(bytes, shape.rowBytes - at),
                                          std::min(rows, shape.rows - row),
                                          toPitch, fromPitch}));
  return Status();
}

Status HostCopies::upload(CUdeviceptr to, const void *from,
                          const CopyShape &shape) {
  const auto *host = static_cast<const std::byte *>(from);
  const CopyShape dense = asFewRows(shape);
  return cut(dense, dense.toPitch, dense.fromPitch,
             [&](uint64_t toOffset, uint64_t fromOffset, CopyShape part) {
               const uint64_t row = part.rowBytes;
               SMP_RETURN_IF_ERROR(
                   putWork(block.data(), host + fromOffset,
                           {row, part.rows, row, part.fromPitch}));
               return copyOnDevice(*gpu, stream, to + toOffset, block.data(),
                                   {row, part.rows, part.toPitch, row});
             });
}

Status HostCopies::download(void *to, CUdeviceptr from,
                            const CopyShape &shape) {
  auto *host = static_cast<std::byte *>(to);
  const CopyShape dense = asFewRows(shape);
  return cut(dense, dense.toPitch, dense.fromPitch,
             [&](uint64_t toOffset, uint64_t fromOffset, CopyShape part) {
               const uint64_t row = part.rowBytes;
               SMP_RETURN_IF_ERROR(
                   copyOnDevice(*gpu, stream, block.data(), from + fromOffset,
                                {row, part.rows, row, part.fromPitch}));
               return putWork(host + toOffset, block.data(),
                              {row, part.rows, part.toPitch, row});
             });
}

} // namespace smp::cuda
