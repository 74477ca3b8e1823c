// SPDX-License-Identifier: Apache-2.0
#include "Feed.h"

namespace smp {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

void InputFeed::bind(const std::byte *bytes, const Slicing &how) {
  data = bytes;
  slicing = how;
  inPlace = imported && slicing.contiguous();
  if (inPlace) // Kernels only read their inputs.
    device.reimportHost(*imported, const_cast<std::byte *>(bytes),
                        slicing.wholeBytes);
}

void InputFeed::fetch(Stream &stream, uint32_t microbatch) {
  if (!inPlace)
    stream.upload(memory.view(copy), data + slicing.start(microbatch),
                  slicing.toDense());
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void LocalDrain::bind(std::byte *bytes, const Slicing &how) {
  data = bytes;
  slicing = how;
  if (inPlace())
    device.reimportHost(*imported, bytes, slicing.wholeBytes);
}

void LocalDrain::drain(Stream &stream, uint32_t microbatch, BufferView from) {
  stream.download(data + slicing.start(microbatch), from, slicing.fromDense());
}

StatusOr<std::unique_ptr<RankDrain>>
RankDrain::make(Device &device, Communicator &communicator,
                std::vector<uint32_t> ranks, uint64_t key, uint64_t bytes,
                bool isShown, StepControl &control) {
  std::unique_ptr<RankDrain> drain(new RankDrain(communicator, control));
  drain->receivers.reserve(ranks.size());
  drain->isShown = isShown;
  drain->ranks = std::move(ranks);
  drain->key = key;
  drain->bytes = bytes;
  drain->copied = device.makeEvent();
  SMP_RETURN_IF_ERROR(drain->host.reserve(bytes));
  return drain;
}

void RankDrain::beginStep(uint64_t number, const std::vector<bool> &gathering) {
  epoch = number;
  receivers.clear();
  for (const uint32_t rank : ranks)
    if (!isShown || gathering[rank])
      receivers.push_back(rank);
}

bool RankDrain::drain(Stream &stream, uint32_t microbatch, BufferView from) {
  if (receivers.empty())
    return true;
  stream.download(host.data(), from, {bytes});
  stream.record(*copied);
  Status status = copied->wait();
  const MessageTag tag{epoch, key, microbatch};
  for (uint32_t rank : receivers)
    if (status.ok())
      status = communicator.send(rank, tag, {host.data(), bytes}, {});
  if (!status.ok())
    control.fail(status);
  return status.ok();
}

} // namespace smp
