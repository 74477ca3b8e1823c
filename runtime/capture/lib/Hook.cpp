// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/Hook.h"
#include "Recorder.h"
#include "smp/model/Reduce.h"
#include "smp/runtime/Session.h"

namespace smp {

double CapturedValue::mean() const {
  return bytes.empty() ? 0 : reduce(TensorReduction(), dtype, bytes);
}

Hook::Hook(HookConfig config, HookOptions options)
    : recorder(
          std::make_shared<Recorder>(std::move(config), std::move(options))) {}
StatusOr<std::optional<Hook>> Hook::fromEnvironment(HookOptions options) {
  if (!hasHookConfig())
    return std::optional<Hook>();
  SMP_ASSIGN_OR_RETURN(HookConfig config, readHookConfig());
  return std::optional<Hook>(Hook(std::move(config), std::move(options)));
}

Hook::Hook(Hook &&) noexcept = default;
Hook &Hook::operator=(Hook &&) noexcept = default;
Hook::~Hook() = default;

Status Hook::registerLoss(std::string_view output) {
  return addToCollection("losses", output);
}

Status Hook::addToCollection(std::string_view collection,
                             std::string_view output) {
  return recorder->addToCollection(collection, output);
}

CollectionConfig &Hook::collection(std::string_view name) {
  return recorder->collection(name);
}

Status Hook::attach(Session &session) {
  SMP_RETURN_IF_ERROR(recorder->prepare(session.entries(),
                                        {session.rank(), session.rankCount()}));
  Status status = session.addObserver(recorder, recorder->onError());
  if (!status.ok())
    recorder->detach();
  return status;
}

Status Hook::close() { return recorder->close(); }

Status Hook::saveScalar(std::string_view name, double value, bool smMetric) {
  return recorder->saveScalar(name, value, smMetric);
}

Status Hook::saveTensor(std::string_view name, const TensorView &value,
                        const std::vector<std::string> &collections) {
  return recorder->saveTensor(name, value, collections);
}

Status Hook::setMode(Mode mode) { return recorder->setMode(mode); }

Mode Hook::mode() const { return recorder->mode(); }

HookReport Hook::report() const { return recorder->report(); }

std::vector<CapturedValue> Hook::values(std::string_view output) const {
  return recorder->values(output);
}

std::vector<CapturedValue> Hook::values(std::string_view output,
                                        Mode mode) const {
  std::vector<CapturedValue> list = recorder->values(output);
  std::erase_if(
      list, [mode](const CapturedValue &value) { return value.mode != mode; });
  return list;
}

} // namespace smp
