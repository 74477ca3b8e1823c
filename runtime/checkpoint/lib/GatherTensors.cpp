// SPDX-License-Identifier: Apache-2.0
#include "GatherTensors.h"
#include "Shards.h"
#include "smp/base/Lists.h"
#include <sstream>

namespace smp {

StatusOr<uint32_t> rankOfTask(const std::string &task, uint32_t ranks) {
  std::vector<std::string> known;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string number = "/task:" + std::to_string(rank);
    if (task == "/job:smp" + number || task == "/job:smp/replica:0" + number)
      return rank;
    known.push_back("/job:smp" + number);
  }
  return invalidArgument("ioDevice is '" + task +
                         "', and the tasks that save are " + listNames(known) +
                         "; name one of them");
}

namespace {

/// Texts and numbers one after the other.
class Writer {
public:
  void add(const std::string &value) {
    text << value.size() << ' ' << value << ' ';
  }
  void add(const Shape &values) {
    text << values.size() << ' ';
    for (int64_t value : values)
      text << value << ' ';
  }
  std::string take() { return text.str(); }

private:
  std::ostringstream text;
};

class Reader {
public:
  explicit Reader(const std::string &text) : text(text) {}

  void read(std::string &value) {
    value.resize(size());
    text.read(value.data(), std::streamsize(value.size()));
  }
  void read(Shape &values) {
    values.resize(size());
    for (int64_t &value : values)
      text >> value;
  }
  bool ok() const { return bool(text); }

private:
  size_t size() {
    size_t size = 0;
    text >> size;
    text.get();
    const bool isSound = text && size <= kMost;
    return isSound ? size : 0;
  }

  static constexpr size_t kMost = 1 << 24;
  std::istringstream text;
};

/// All but the bytes and what follows from the rest.
void write(Writer &writer, const ShardableTensor &tensor) {
  for (const std::string *text :
       {&tensor.saveSpec, &tensor.tensor.task, &tensor.device, &tensor.name,
        &tensor.checkpointKey, &tensor.trackable})
    writer.add(*text);
  writer.add(std::string(toString(tensor.dtype)));
  writer.add(tensor.shape);
  writer.add(tensor.tensor.slice.offset);
  writer.add(tensor.tensor.slice.extent);
}

ShardableTensor readTensor(Reader &reader) {
  ShardableTensor tensor;
  for (std::string *text :
       {&tensor.saveSpec, &tensor.tensor.task, &tensor.device, &tensor.name,
        &tensor.checkpointKey, &tensor.trackable})
    reader.read(*text);
  std::string dtype;
  reader.read(dtype);
  tensor.dtype = tensor.tensor.dtype = parseDType(dtype).value_or(DType::U8);
  reader.read(tensor.shape);
  reader.read(tensor.tensor.slice.offset);
  reader.read(tensor.tensor.slice.extent);
  tensor.tensor.shape = tensor.tensor.slice.extent;
  tensor.tensor.strides = rowMajorStrides(tensor.tensor.shape);
  for (int64_t &stride : tensor.tensor.strides)
    stride *= int64_t(sizeOf(tensor.dtype));
  tensor.sliceSpec = specOf(tensor.tensor.slice, tensor.shape);
  return tensor;
}

Status send(const std::vector<ShardableTensor> &tensors, RankGroup &group) {
  Writer writer;
  for (const ShardableTensor &tensor : tensors)
    write(writer, tensor);
  const std::string text = writer.take();
  const uint64_t sizes[] = {tensors.size(), text.size()};
  SMP_RETURN_IF_ERROR(group.sendFirst(std::as_bytes(std::span(sizes))));
  SMP_RETURN_IF_ERROR(group.sendFirst(std::as_bytes(std::span(text))));
  for (const ShardableTensor &tensor : tensors)
    SMP_RETURN_IF_ERROR(
        group.sendFirst({tensor.tensor.bytes, size_t(tensor.bytes())}));
  return Status();
}

Status receive(std::vector<ShardableTensor> &tensors, RankGroup &group,
               uint32_t from, std::deque<std::vector<std::byte>> &room) {
  uint64_t sizes[2] = {};
  SMP_RETURN_IF_ERROR(
      group.receive(from, std::as_writable_bytes(std::span(sizes))));
  std::string text(sizes[1], '\0');
  SMP_RETURN_IF_ERROR(
      group.receive(from, std::as_writable_bytes(std::span(text))));
  Reader reader(text);
  for (uint64_t i = 0; i < sizes[0]; ++i) {
    ShardableTensor tensor = readTensor(reader);
    if (!reader.ok())
      return group.fail(unavailable("rank " + std::to_string(from) +
                                    " has another version of smp"));
    std::vector<std::byte> &bytes = room.emplace_back(size_t(tensor.bytes()));
    SMP_RETURN_IF_ERROR(group.receive(from, bytes));
    tensor.tensor.bytes = bytes.data();
    tensors.push_back(std::move(tensor));
  }
  return Status();
}

} // namespace

Status gatherTensors(std::vector<ShardableTensor> &tensors, RankGroup &group,
                     std::deque<std::vector<std::byte>> &room) {
  if (!group.isFirst()) {
    SMP_RETURN_IF_ERROR(send(tensors, group));
    tensors.clear();
    return Status();
  }
  for (uint32_t from = 0; from < group.size(); ++from)
    if (from != group.rank())
      SMP_RETURN_IF_ERROR(receive(tensors, group, from, room));
  return Status();
}

} // namespace smp
