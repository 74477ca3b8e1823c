// SPDX-License-Identifier: Apache-2.0
#include "ApplicationValues.h"
#include <cstring>

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

} // namespace

std::shared_ptr<Saveable> savedNumber(int64_t &value) {
  return std::make_shared<SavedNumber<int64_t, DType::I64>>(value);
}
std::shared_ptr<Saveable> savedNumber(double &value) {
  return std::make_shared<SavedNumber<double, DType::F64>>(value);
}
std::shared_ptr<Saveable> savedText(std::string &value) {
  return std::make_shared<SavedText>(value);
}

} // namespace smp
