// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Safetensors.h"
#include "SafetensorsHeader.h"
#include "Where.h"
#include "smp/serialization/WeightsPath.h"
#include <algorithm>

namespace smp {

using Bytes = std::span<const std::byte>;

static constexpr uint64_t kLengthBytes = 8;

StatusOr<uint64_t> safetensorsHeadBytes(Bytes beginning, uint64_t fileBytes) {
  if (fileBytes < kLengthBytes)
    return dataLoss("this is no safetensors file: it has " +
                    std::to_string(fileBytes) + " bytes, of at least 8");
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i)
    length |= uint64_t(uint8_t(beginning[i])) << (8 * i);
  if (length > kMaxSafetensorsHeader)
    return dataLoss("the header has " + std::to_string(length) +
                    " bytes, of at most " +
                    std::to_string(kMaxSafetensorsHeader) +
                    "; is this a safetensors file?");
  if (length > fileBytes - kLengthBytes)
    return dataLoss("the file is cut: its header has " +
                    std::to_string(length) + " bytes, of " +
                    std::to_string(fileBytes - kLengthBytes) + " there");
  return kLengthBytes + length;
}

uint64_t safetensorsHeaderBytes(Bytes file) {
  const auto bytes = safetensorsHeadBytes(file, file.size());
  return bytes.ok() ? *bytes : 0;
}

static Status checkRange(const SafetensorsRecord &record, uint64_t dataSize) {
  std::string range = "tensor " + quote(record.name) + " has bytes " +
                      std::to_string(record.begin) + " to " +
                      std::to_string(record.end);
  if (record.begin > record.end || record.end > dataSize)
    return dataLoss(range + " of " + std::to_string(dataSize));
  std::optional<int64_t> wanted = checkedBytes(record.type);
  if (!wanted)
    return dataLoss("tensor " + quote(record.name) + " has the shape " +
                    toString(record.type.shape) + ", which is too large");
  if (record.end - record.begin != uint64_t(*wanted))
    return dataLoss(range + "; a " + toString(record.type) + " has " +
                    std::to_string(*wanted));
  return Status();
}

/// The ranges, in order, must cover the data without hole or overlap.
static Status checkCover(std::vector<const SafetensorsRecord *> records,
                         uint64_t dataSize) {
  std::sort(records.begin(), records.end(), [](const auto *a, const auto *b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t end = 0;
  for (const SafetensorsRecord *record : records) {
    if (record->begin != end)
      return dataLoss("tensor " + quote(record->name) + " begins at byte " +
                      std::to_string(record->begin) +
                      "; the tensor before ends at " + std::to_string(end));
    end = record->end;
  }
  if (end != dataSize)
    return dataLoss("the file has " + std::to_string(dataSize) +
                    " bytes of data, its tensors " + std::to_string(end));
  return Status();
}

StatusOr<SafetensorsHeader> readSafetensorsHead(Bytes head,
                                                uint64_t fileBytes) {
  const Bytes text = head.subspan(kLengthBytes);
  SMP_ASSIGN_OR_RETURN(
      SafetensorsHeader header,
      parseSafetensorsHeader(
          {reinterpret_cast<const char *>(text.data()), text.size()}));
  const uint64_t dataBytes = fileBytes - head.size();
  std::vector<const SafetensorsRecord *> records;
  for (const SafetensorsRecord &record : header.records) {
    SMP_RETURN_IF_ERROR(checkRange(record, dataBytes));
    records.push_back(&record);
  }
  SMP_RETURN_IF_ERROR(checkCover(std::move(records), dataBytes));
  std::sort(header.records.begin(), header.records.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  return header;
}

StatusOr<Safetensors> Safetensors::parse(Bytes bytes) {
  SMP_ASSIGN_OR_RETURN(const uint64_t headBytes,
                       safetensorsHeadBytes(bytes, bytes.size()));
  SMP_ASSIGN_OR_RETURN(
      SafetensorsHeader header,
      readSafetensorsHead(bytes.first(headBytes), bytes.size()));
  const Bytes data = bytes.subspan(headBytes);
  Safetensors result;
  result.extra = std::move(header.metadata);
  for (SafetensorsRecord &record : header.records)
    result.directory.push_back(
        {std::move(record.name), std::move(record.type),
         data.subspan(record.begin, record.end - record.begin)});
  return result;
}

StatusOr<Safetensors> Safetensors::open(const std::string &path) {
  SMP_RETURN_IF_ERROR(refusePickle(path));
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  SMP_ASSIGN_OR_RETURN(Safetensors result, parse(file.bytes()).in(path));
  result.file = std::move(file);
  return result;
}

const SafetensorsTensor *Safetensors::find(std::string_view name) const {
  auto found = std::lower_bound(
      directory.begin(), directory.end(), name,
      [](const SafetensorsTensor &tensor, std::string_view name) {
        return tensor.name < name;
      });
  bool there = found != directory.end() && found->name == name;
  return there ? &*found : nullptr;
}

} // namespace smp
