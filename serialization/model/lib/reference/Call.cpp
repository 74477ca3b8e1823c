// SPDX-License-Identifier: Apache-2.0
#include "Call.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

static std::string quoted(std::string_view name) {
  return "attribute '" + std::string(name) + "' ";
}

template <typename T>
const T *Call::attribute(std::string_view name, std::string_view kind) {
  auto found = op.attributes.find(std::string(name));
  if (found == op.attributes.end()) {
    require(false, quoted(name) + "is missing");
    return nullptr;
  }
  const T *value = std::get_if<T>(&found->second);
  require(value, quoted(name) + "must be " + std::string(kind));
  return value;
}

int64_t Call::integer(std::string_view name) {
  const int64_t *value = attribute<int64_t>(name, "an integer");
  return value ? *value : 0;
}

double Call::number(std::string_view name) {
  const double *value = attribute<double>(name, "a float");
  return value ? *value : 0;
}

const std::vector<int64_t> &Call::list(std::string_view name) {
  static const auto &none = *new std::vector<int64_t>;
  auto *value = attribute<std::vector<int64_t>>(name, "a list of integers");
  return value ? *value : none;
}

bool Call::flag(std::string_view name) {
  return op.attributes.count(std::string(name)) && integer(name) != 0;
}

size_t Call::word(std::string_view name,
                  std::initializer_list<std::string_view> words, int absent) {
  if (absent >= 0 && !op.attributes.count(std::string(name)))
    return size_t(absent);
  const std::string *value = attribute<std::string>(name, "a word");
  if (!value)
    return 0;
  auto found = std::find(words.begin(), words.end(), *value);
  if (!require(found != words.end(), quoted(name) + "is '" + *value + "'"))
    return 0;
  return size_t(found - words.begin());
}

int64_t Call::dimension(std::string_view name, size_t rank) {
  int64_t value = integer(name);
  if (!require(value >= 0 && value < int64_t(rank),
               quoted(name) + "is " + std::to_string(value) +
                   ", no dimension of a tensor of rank " +
                   std::to_string(rank)))
    return 0;
  return value;
}

const std::vector<int64_t> &Call::dimensions(std::string_view name,
                                             size_t rank) {
  const std::vector<int64_t> &dims = list(name);
  std::vector<bool> seen(rank);
  for (int64_t dim : dims) {
    bool fits = dim >= 0 && dim < int64_t(rank) && !seen[size_t(dim)];
    if (!require(fits, quoted(name) + "holds " + std::to_string(dim) +
                           "; it must hold distinct dimensions below " +
                           std::to_string(rank)))
      break;
    seen[size_t(dim)] = true;
  }
  return dims;
}

bool Call::checkResult(const TensorType &type, size_t i) {
  return !failed() &&
         require(resultTypes[i] == type,
                 "result " + std::to_string(i) + " is declared as " +
                     toString(resultTypes[i]) + " but is " + toString(type));
}

HostTensor *Call::makeResult(const TensorType &type, size_t i) {
  if (!checkResult(type, i))
    return nullptr;
  return &results[i].emplace<HostTensor>(HostTensor::zeros(type));
}

bool Call::passSplatOn(const TensorType &type) {
  if (splat && checkResult(type, 0))
    results[0] = Splat{type, splat->element};
  return splat;
}
