// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/EventCollections.h"
#include "JsonFields.h"

namespace smp {

using Collection = EventCollections::Collection;

namespace {
class CollectionsReader : public JsonFields {
public:
  EventCollections read(const JsonTree &root) {
    const Where top;
    for (const std::string &name : root.parts->names)
      if (name != "collections" && name != "_meta")
        fail(top.field(name.c_str()), "is unknown; collections and _meta");
    EventCollections all;
    if (const JsonTree *found = member(root, "collections", top))
      all.collections = collections(*found, top.field("collections"));
    if (const JsonTree *meta = member(root, "_meta", top))
      all.numWorkers = numWorkers(*meta, top.field("_meta"));
    return all;
  }

private:
  uint64_t numWorkers(const JsonTree &meta, const Where &where) {
    const size_t before = problems.count();
    const uint64_t workers = number(meta, "num_workers", where, UINT32_MAX);
    if (workers == 0 && isGoodSince(before))
      fail(where.field("num_workers"), "is 0; at least 1");
    return workers;
  }

  std::vector<Collection> collections(const JsonTree &object,
                                      const Where &where) {
    std::vector<Collection> all;
    if (object.kind != JsonTree::Kind::Object) {
      fail(where, "is no object");
      return all; // The items of a list have no names.
    }
    for (size_t i = 0; i < object.values().size(); ++i)
      all.push_back(collection(object.values()[i], object.parts->names[i],
                               where.field(object.parts->names[i].c_str())));
    return all;
  }

  Collection collection(const JsonTree &object, const std::string &key,
                        const Where &where) {
    Collection one{text(object, "name", where), {}, {}};
    if (!one.name.empty() && one.name != key)
      fail(where.field("name"), "is " + quote(one.name));
    one.includeRegex = texts(object, "include_regex", where);
    one.tensorNames = texts(object, "tensor_names", where);
    return one;
  }

  /// None where there is no such list.
  std::vector<std::string> texts(const JsonTree &object, const char *name,
                                 const Where &where) {
    std::vector<std::string> all;
    if (!object.find(name))
      return all;
    const auto values = list(object, name, where);
    for (size_t i = 0; i < values.size(); ++i)
      all.push_back(textOf(values[i], where.at(name, i)));
    return all;
  }
};
} // namespace

StatusOr<EventCollections> parseEventCollections(std::string_view text) {
  SMP_ASSIGN_OR_RETURN(const JsonTree root, parseJsonObject(text, 16));
  CollectionsReader reader;
  EventCollections all = reader.read(root);
  SMP_RETURN_IF_ERROR(reader.problems.status());
  return all;
}

} // namespace smp
