// SPDX-License-Identifier: Apache-2.0
// Tensors of a checkpoint.
#include "smp/base/Populate.h"
#include "smp/serialization/CheckpointReader.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Bytes = std::span<const std::byte>;

/// What is wanted of a tensor of a file.
struct CheckpointReader::Source {
  const Slice *slice;
  const Wanted *wanted;
  uint64_t begin = 0, end = 0; // Of the tensor in the file.

  uint64_t elementBytes() const {
    return smp::sizeOf(wanted->item->type.dtype);
  }

  void markPieces(std::vector<bool> &isWanted) const {
    forEachCommonRun(slice->box, wanted->box, [&](const CommonRun &run) {
      const uint64_t first = begin + uint64_t(run.first) * elementBytes(),
                     last = first + uint64_t(run.elements) * elementBytes() - 1;
      for (uint64_t i = first / kPieceBytes; i <= last / kPieceBytes; ++i)
        isWanted[i] = true;
    });
  }

  /// `bytes` are those of the file from `start` on, which may begin and end
  /// inside of an element.
  void take(Bytes bytes, uint64_t start) const {
    const uint64_t from = std::max(start, begin) - begin,
                   until = std::min(start + bytes.size(), end) - begin,
                   size = elementBytes();
    forEachCommonRun(
        slice->box, wanted->box, int64_t(from / size),
        int64_t((until + size - 1) / size), [&](const CommonRun &run) {
          const uint64_t at = uint64_t(run.first) * size,
                         first = std::max(at, from),
                         last = std::min(at + uint64_t(run.elements) * size,
                                         until);
          const std::span<std::byte> to = wanted->bytes.subspan(
              uint64_t(run.second) * size + (first - at), last - first);
          populate(to);
          std::memcpy(to.data(), bytes.data() + (begin + first - start),
                      to.size());
        });
  }
};

Status CheckpointReader::read(std::span<const Wanted> wanted) {
  std::map<uint32_t, std::vector<Source>> sources; // By file.
  for (const Wanted &each : wanted)
    for (const Slice &slice : each.item->slices)
      if (intersection(slice.box, each.box))
        sources[slice.file].push_back({&slice, &each});
  for (auto &[file, ofFile] : sources)
    SMP_RETURN_IF_ERROR(readFile(file, ofFile));
  return Status();
}

Status CheckpointReader::readFile(size_t file, std::vector<Source> &sources) {
  SMP_ASSIGN_OR_RETURN(const Reading reading, startReading(file));
  std::vector<bool> isWanted(countPieces(file));
  for (Source &source : sources) {
    source.begin = files[file].starts.at(source.slice->tensor);
    source.end =
        source.begin +
        uint64_t(numElements(source.slice->box.extent)) * source.elementBytes();
    source.markPieces(isWanted);
  }
  std::sort(sources.begin(), sources.end(),
            [](auto &one, auto &other) { return one.begin < other.begin; });
  std::vector<size_t> pieces;
  for (size_t i = 0; i < isWanted.size(); ++i)
    if (isWanted[i])
      pieces.push_back(i);
  return forEachPiece(pieces.size(), [&](size_t number, PieceRoom room) {
    SMP_ASSIGN_OR_RETURN(const Bytes bytes,
                         readPiece(reading, pieces[number], room));
    const uint64_t start = pieces[number] * kPieceBytes;
    auto source = std::partition_point( // Tensors do not overlap.
        sources.begin(), sources.end(),
        [&](const Source &each) { return each.end <= start; });
    for (; source != sources.end() && source->begin < start + bytes.size();
         ++source)
      source->take(bytes, start);
    return Status();
  });
}

//===----------------------------------------------------------------------===//
// Kept
//===----------------------------------------------------------------------===//

/// A whole tensor, where its file is mapped.
StatusOr<Bytes> CheckpointReader::map(const Slice &slice, uint64_t size) {
  File &file = files[slice.file];
  if (file.isChecked.empty()) {
    SMP_RETURN_IF_ERROR(startReading(slice.file).status());
    SMP_ASSIGN_OR_RETURN(file.mapping,
                         MappedFile::open(pathOf(slice.file), *system));
    SMP_RETURN_IF_ERROR(checkSize(slice.file, file.mapping.bytes().size()));
    file.isChecked.resize(countPieces(slice.file));
  }
  const Bytes all = file.mapping.bytes();
  const uint64_t begin = file.starts.at(slice.tensor), end = begin + size;
  for (uint64_t i = begin / kPieceBytes; i * kPieceBytes < end; ++i) {
    const Bytes rest = all.subspan(i * kPieceBytes);
    if (!file.isChecked[i])
      SMP_RETURN_IF_ERROR(checkPiece(
          slice.file, i, rest.first(std::min(rest.size(), kPieceBytes))));
    file.isChecked[i] = true;
  }
  return all.subspan(begin, size);
}

StatusOr<Bytes> CheckpointReader::read(const Item &item) {
  const auto size = uint64_t(item.type.bytes());
  if (const Slice *slice = item.whole())
    return map(*slice, size);
  std::vector<std::byte> &bytes = joined.emplace_back(size);
  const Wanted all{&item, wholeOf(item.type.shape), bytes};
  SMP_RETURN_IF_ERROR(read({&all, 1}));
  return Bytes(bytes);
}

} // namespace smp
