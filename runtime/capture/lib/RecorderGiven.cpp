// SPDX-License-Identifier: Apache-2.0
// What the application tells a hook between steps.
#include "Recorder.h"
#include "ReductionNames.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/model/TypeBounds.h"
#include <algorithm>

namespace smp {

constexpr std::string_view kScalarPrefix = "scalar/";

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

Status Recorder::checkMode(Mode mode) const {
  if (modes.empty() || mode == Mode::Global || modes.contains(mode) ||
      modes.contains(Mode::Global))
    return Status();
  return invalidArgument("the hook's mode is to be " +
                         std::string(toEventMode(mode)) +
                         ", which no entry of the program has; there are " +
                         join(modes, ", ", toEventMode));
}

Status Recorder::setMode(Mode mode) {
  std::lock_guard<std::mutex> hold(lock);
  SMP_RETURN_IF_ERROR(checkMode(mode));
  steps.set(mode);
  return Status();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Status Recorder::checkGiven(std::string_view what,
                            const std::string &name) const {
  if (!plan.capture)
    return failedPrecondition("the hook cannot save the " + std::string(what) +
                              " " + quote(name) +
                              ": it is not attached to a Session, or closed");
  if (tensors.outputs.contains(name))
    return invalidArgument("the " + std::string(what) + " " + quote(name) +
                           " has the name of an output; rename it");
  if (tensors.taps.contains(name))
    return invalidArgument("the " + std::string(what) + " " + quote(name) +
                           " has the name of a value that the program shows "
                           "already; rename it, or save that by "
                           "addToCollection()");
  return Status();
}

/// From now on the tensor is known, and what `wanted` says is captured.
StatusOr<uint32_t> Recorder::numberOf(const GivenTensor &tensor,
                                      const HookConfig &wanted) {
  std::vector<GivenTensor> all = given;
  if (!plan.capture->find(tensor.name))
    all.push_back(tensor);
  if (all.size() > given.size() || wanted != config) {
    SMP_RETURN_IF_ERROR(prepareCapture(wanted, all));
    given = std::move(all);
    config = wanted;
  }
  return *plan.capture->find(tensor.name);
}

Status Recorder::saveScalar(std::string_view name, double value,
                            bool smMetric) {
  std::lock_guard<std::mutex> hold(lock);
  if (name.empty())
    return invalidArgument("a scalar that is saved needs a name");
  const GivenTensor scalar{std::string(kScalarPrefix) + std::string(name),
                           /*isScalar=*/true};
  SMP_RETURN_IF_ERROR(checkGiven("scalar", scalar.name));
  SMP_ASSIGN_OR_RETURN(const uint32_t tensor, numberOf(scalar, config));
  if (!last)
    early.push_back({tensor, value, smMetric});
  else if (writer)
    sendScalar(tensor, value, smMetric);
  return Status();
}

void Recorder::sendScalar(uint32_t tensor, const double &value, bool smMetric) {
  picked = {{tensor,
             {.dtype = DType::F64,
              .shape = {},
              .bytes = std::as_bytes(std::span(&value, 1))},
             smMetric}};
  send();
}

/// The collections as they are, with the tensor in some of them.
static HookConfig withTensor(HookConfig config, const std::string &name,
                             const std::vector<std::string> &collections) {
  for (const std::string &each : collections) {
    auto &all = config.collections;
    auto found = std::ranges::find(all, each, &CollectionConfig::name);
    if (found == all.end())
      found = all.insert(all.end(), {.name = each});
    if (std::ranges::find(found->tensorNames, name) == found->tensorNames.end())
      found->tensorNames.push_back(name);
  }
  return config;
}

static Status checkTensor(const std::string &name,
                          const std::vector<std::string> &collections) {
  if (name.empty())
    return invalidArgument("a tensor that is saved needs a name");
  if (name.starts_with(kScalarPrefix))
    return invalidArgument("the tensor " + quote(name) + " begins with '" +
                           std::string(kScalarPrefix) +
                           "', as those of saveScalar() do; rename it");
  if (collections.empty())
    return invalidArgument("the tensor " + quote(name) +
                           " is to be in no collection; name one");
  return Status();
}

Status Recorder::saveTensor(std::string_view name, const TensorView &value,
                            const std::vector<std::string> &collections) {
  std::lock_guard<std::mutex> hold(lock);
  const GivenTensor tensor{std::string(name)};
  SMP_RETURN_IF_ERROR(checkGiven("tensor", tensor.name));
  SMP_RETURN_IF_ERROR(checkTensor(tensor.name, collections));
  if (!isDType(value.dtype))
    return invalidArgument("the tensor " + quote(name) + " is " +
                           std::string(toString(value.dtype)) +
                           ", which smp does not have");
  if (value.shape.size() > kMostDimensions)
    return invalidArgument("the tensor " + quote(name) + " has " +
                           std::to_string(value.shape.size()) +
                           " dimensions; at most " +
                           std::to_string(kMostDimensions));
  const auto bytes =
      checkedBytes({value.dtype, {value.shape.begin(), value.shape.end()}});
  if (!bytes)
    return invalidArgument("the tensor " + quote(name) +
                           " has a size below 0, or beyond 2^63 bytes");
  SMP_ASSIGN_OR_RETURN(
      const uint32_t number,
      numberOf(tensor, withTensor(config, tensor.name, collections)));
  if (!writer || !last ||
      !plan.capture->tensor(number).isSavedAt(last->mode, last->modeStep))
    return Status();
  picked = {{number,
             {.dtype = value.dtype,
              .shape = value.shape,
              .bytes = {static_cast<const std::byte *>(value.data),
                        size_t(*bytes)}}}};
  send();
  return Status();
}

} // namespace smp
