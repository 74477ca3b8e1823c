// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/EventIndex.h"
#include "JsonFields.h"
#include <algorithm>

namespace smp {

/// Enough for modes and workers in turn; more would only cost comparing.
static constexpr size_t kMostTails = 16;
static constexpr uint64_t kLeastRecordBytes = 16;
static constexpr std::string_view kRecordsKey = "\"tensor_payload\"";

namespace {
class IndexReader : public JsonFields {
public:
  EventIndex read(const JsonTree &root) {
    const Where top;
    if (const JsonTree *meta = member(root, "meta", top))
      readMeta(*meta, top.field("meta"));
    if (root.find("tensor_payload"))
      readRecords(list(root, "tensor_payload", top));
    if (root.find("shape_payload"))
      readShapes(list(root, "shape_payload", top));
    if (index.eventsFile.empty() && !tensors.records.empty())
      fail(top.field("meta").field("event_file_name"),
           "is missing, but there are records");
    index.tensors =
        std::make_shared<const EventIndex::Tensors>(std::move(tensors));
    return std::move(index);
  }

private:
  void readMeta(const JsonTree &meta, const Where &where) {
    const std::string mode = text(meta, "mode", where);
    if (const auto known = parseEventMode(mode))
      index.mode = *known;
    else if (meta.find("mode"))
      fail(where.field("mode"),
           "is " + quote(mode) + "; TRAIN, EVAL, PREDICT or GLOBAL");
    index.modeStep = number(meta, "mode_step", where, INT64_MAX);
    if (!meta.find("event_file_name"))
      return;
    index.eventsFile = text(meta, "event_file_name", where);
    if (!isInside(index.eventsFile))
      fail(where.field("event_file_name"),
           "is " + quote(index.eventsFile) + ", no path inside the folder");
  }

  static bool isInside(const std::string &path) {
    return !path.empty() && path[0] != '/' &&
           path.find('\0') == std::string::npos &&
           ("/" + path + "/").find("/../") == std::string::npos;
  }

  void readRecords(std::span<const JsonTree> list) {
    const Where top;
    for (size_t i = 0; i < list.size(); ++i) {
      const Where where = top.at("tensor_payload", i);
      EventIndex::Record record;
      record.name = name(list[i], "tensorname", where);
      record.start = number(list[i], "start_idx", where, INT64_MAX);
      record.bytes = number(list[i], "length", where, INT64_MAX);
      if (list[i].find("length") && record.bytes < kLeastRecordBytes)
        fail(where.field("length"),
             "is " + std::to_string(record.bytes) + "; a record has at least " +
                 std::to_string(kLeastRecordBytes) + " bytes");
      tensors.records.push_back(std::move(record));
    }
  }

  void readShapes(std::span<const JsonTree> list) {
    const Where top;
    for (size_t i = 0; i < list.size(); ++i) {
      const Where where = top.at("shape_payload", i);
      EventIndex::SavedShape saved;
      saved.name = name(list[i], "tensorname", where);
      saved.originalName = text(list[i], "originalname", where);
      saved.shape = sizes(list[i], "shape", where);
      tensors.shapes.push_back(std::move(saved));
    }
  }

  std::string name(const JsonTree &object, const char *key,
                   const Where &where) {
    const size_t before = problems.count();
    std::string text = this->text(object, key, where);
    if (text.empty() && isGoodSince(before))
      fail(where.field(key), "is empty");
    return text;
  }

  EventIndex index;
  EventIndex::Tensors tensors;
};
} // namespace

static StatusOr<EventIndex> readWhole(std::string_view text) {
  SMP_ASSIGN_OR_RETURN(const JsonTree root, parseJsonObject(text, 8));
  IndexReader reader;
  EventIndex index = reader.read(root);
  SMP_RETURN_IF_ERROR(reader.problems.status());
  return index;
}

/// `head` is all before the list of records. With an empty list behind it, it
/// is an object exactly when that list stands at the top of the object. It is
/// an error when the head lists tensors.
StatusOr<EventIndex> EventIndexReader::readHead(std::string_view head) {
  std::string text(head);
  text += kRecordsKey;
  text += ": []}";
  SMP_ASSIGN_OR_RETURN(EventIndex index, readWhole(text));
  if (!index.tensors->records.empty() || !index.tensors->shapes.empty())
    return dataLoss("a list of tensors before " + std::string(kRecordsKey));
  return index;
}

StatusOr<EventIndex> EventIndexReader::read(std::string_view text) {
  const size_t cut = std::min(text.find(kRecordsKey), text.size());
  const std::string_view head = text.substr(0, cut), tail = text.substr(cut);
  const auto known = std::ranges::find(tails, tail, &Tail::text);
  if (known != tails.end()) {
    StatusOr<EventIndex> index = readHead(head);
    if (!index.ok() ||
        (index->eventsFile.empty() && !known->tensors->records.empty()))
      return readWhole(text);
    index->tensors = known->tensors;
    std::rotate(tails.begin(), known, known + 1);
    return index;
  }
  SMP_ASSIGN_OR_RETURN(EventIndex index, readWhole(text));
  if (!tail.empty() && readHead(head).ok()) {
    if (tails.size() == kMostTails)
      tails.pop_back();
    tails.insert(tails.begin(), Tail{std::string(tail), index.tensors});
  }
  return index;
}

} // namespace smp
