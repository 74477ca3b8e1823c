// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/Checkpoint.h"
#include "smp/serialization/CheckpointRoots.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace smp {

namespace {

Status refuse(const TensorView &value, const char *wanted) {
  return invalidArgument("the checkpoint has a " +
                         std::string(toString(value.dtype)) + " of rank " +
                         std::to_string(value.shape.size()) + "; " + wanted +
                         " was to be restored");
}

/// A number in a variable of the application's.
template <typename T, DType type>
class SavedNumber : public Saveable {
public:
  explicit SavedNumber(T &value) : value(value) {}

  StatusOr<SavedValue> save() const override {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return SavedValue{type, {}, {bytes.begin(), bytes.end()}};
  }
  Status check(const TensorView &given) const override {
    const bool good = given.dtype == type && given.shape.empty();
    return good ? Status()
                : refuse(given, type == DType::I64 ? "one i64" : "one f64");
  }
  void restore(const TensorView &given) override {
    std::memcpy(&value, given.data, sizeof(T));
  }

private:
  T &value;
};

class SavedText : public Saveable {
public:
  explicit SavedText(std::string &value) : value(value) {}

  StatusOr<SavedValue> save() const override {
    const auto bytes = std::as_bytes(std::span(value));
    return SavedValue{
        DType::U8, {int64_t(value.size())}, {bytes.begin(), bytes.end()}};
  }
  Status check(const TensorView &given) const override {
    const bool good = given.dtype == DType::U8 && given.shape.size() == 1;
    return good ? Status() : refuse(given, "text");
  }
  void restore(const TensorView &given) override {
    const size_t size = size_t(given.shape[0]);
    value.clear();
    if (size)
      value.assign(static_cast<const char *>(given.data), size);
  }

private:
  std::string &value;
};

bool isRootName(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

} // namespace

Checkpoint::Root::Root(std::string name, SessionCore &session)
    : rootName(std::move(name)), core(&session) {}
Checkpoint::Root::Root(std::string name, int64_t &value)
    : rootName(std::move(name)),
      saveable(std::make_shared<SavedNumber<int64_t, DType::I64>>(value)) {}
Checkpoint::Root::Root(std::string name, double &value)
    : rootName(std::move(name)),
      saveable(std::make_shared<SavedNumber<double, DType::F64>>(value)) {}
Checkpoint::Root::Root(std::string name, std::string &value)
    : rootName(std::move(name)), saveable(std::make_shared<SavedText>(value)) {}
Checkpoint::Root::Root(std::string name, Saveable &value)
    : rootName(std::move(name)), saveable(&value, [](Saveable *) {}) {}

Checkpoint::Checkpoint(SessionCore &session) {
  for (const RootKind &kind : rootKinds())
    list.emplace_back(std::string(kind.root), session);
}

Status Checkpoint::check() const {
  if (list.empty())
    return invalidArgument("a Checkpoint without roots has nothing to save");
  std::set<std::string_view> names;
  for (const Root &root : list) {
    if (!isRootName(root.name()))
      return invalidArgument("a root of a Checkpoint is named '" + root.name() +
                             "'; a name has letters, digits, '_', '-' and '.'");
    if (!names.insert(root.name()).second)
      return invalidArgument("two roots of a Checkpoint are named '" +
                             root.name() + "'");
    if (root.session() && !findRootKind(root.name()))
      return invalidArgument(
          "a root of a Checkpoint has a Session and the name '" + root.name() +
          "'; a Session has model, optimizer, state and random");
  }
  return Status();
}

} // namespace smp
