// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/CaptureChoice.h"
#include "TapCollections.h"

namespace smp {

struct CaptureChoice::State {
  Collections collections;
};

CaptureChoice::CaptureChoice(std::unique_ptr<State> state)
    : state(std::move(state)) {}
CaptureChoice::CaptureChoice(CaptureChoice &&) noexcept = default;
CaptureChoice &CaptureChoice::operator=(CaptureChoice &&) noexcept = default;
CaptureChoice::~CaptureChoice() = default;

StatusOr<CaptureChoice> CaptureChoice::of(const HookConfig &config) {
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  SMP_ASSIGN_OR_RETURN(Collections collections, Collections::of(config));
  return CaptureChoice(std::make_unique<State>(std::move(collections)));
}

Status CaptureChoice::checkFilled() const {
  return state->collections.checkFilled();
}

StatusOr<bool> CaptureChoice::has(std::string_view name, TapRole role) {
  SMP_RETURN_IF_ERROR(addTap(state->collections, name, role));
  SMP_ASSIGN_OR_RETURN(const auto having, state->collections.with(name));
  return !having.empty();
}

} // namespace smp
