// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/model/Elements.h"
#include <cmath>

namespace smp {

std::vector<double> elementsOf(const RuleValue &value) {
  std::vector<double> elements(size_t(value.type.elements()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = visitElement(value.type.dtype, value.bytes, i,
                               [](auto element) { return double(element); });
  return elements;
}

std::string faultsText(uint64_t nans, uint64_t infs, uint64_t elements) {
  const auto are = [](uint64_t count, const char *what) {
    return std::to_string(count) + (count == 1 ? " is " : " are ") + what;
  };
  const std::string of = " of " + std::to_string(elements) + " elements";
  if (nans == 0)
    return std::to_string(infs) + of + (infs == 1 ? " is" : " are") +
           " infinite";
  return std::to_string(nans) + of + (nans == 1 ? " is" : " are") + " NaN" +
         (infs ? " and " + are(infs, "infinite") : "");
}

std::optional<NumericFaults> faultsOf(const RuleValue &value) {
  NumericFaults faults;
  const std::vector<double> elements = elementsOf(value);
  for (const double element : elements) {
    faults.nans += std::isnan(element);
    faults.infs += std::isinf(element);
  }
  if (faults.nans + faults.infs == 0)
    return std::nullopt;
  faults.text = faultsText(faults.nans, faults.infs, elements.size());
  return faults;
}

std::vector<double> activityOf(const RuleValue &value, int64_t axis,
                               const std::function<bool(double)> &isActive) {
  const Shape &shape = value.type.shape;
  const int64_t place = int64_t(shape.size()) + axis;
  size_t units = 1, inner = 1;
  if (place >= 0) {
    units = size_t(shape[size_t(place)]);
    for (size_t i = size_t(place) + 1; i < shape.size(); ++i)
      inner *= size_t(shape[i]);
  }
  const std::vector<double> elements = elementsOf(value);
  std::vector<double> active(units);
  if (elements.empty())
    return active;
  for (size_t i = 0; i < elements.size(); ++i)
    active[i / inner % units] += isActive(elements[i]);
  for (double &part : active)
    part /= double(elements.size() / units);
  return active;
}

size_t countBelow(const std::vector<double> &activity, double least) {
  return size_t(std::ranges::count_if(
      activity, [&](double part) { return part < least; }));
}

} // namespace smp
