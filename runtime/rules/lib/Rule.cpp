// SPDX-License-Identifier: Apache-2.0
#include "smp/rules/Rule.h"
#include "Texts.h"
#include "smp/base/Quote.h"
#include <cstdio>

namespace smp {

std::string figure(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

std::string counted(uint64_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string RuleStep::text() const {
  std::string text = "step " + std::to_string(modeStep) + " of " +
                     std::string(toEventMode(mode));
  if (modeStep != globalStep)
    text += " (" + std::to_string(globalStep) + " of all)";
  return text;
}

std::string Finding::message() const {
  return rule + " is met at " + step.text() +
         (tensor.empty() ? "" : " by " + quote(tensor)) + ": " + text;
}

} // namespace smp
