// SPDX-License-Identifier: Apache-2.0
// How the loss went, as a picture.

#ifndef SMP_EXAMPLES_CHAR_LM_LOSSCURVE_H
#define SMP_EXAMPLES_CHAR_LM_LOSSCURVE_H

#include <string>
#include <vector>

namespace char_lm {

/// The losses of steps 0, 1, ... as a diagram of text lines.
std::string drawText(const std::vector<float> &losses);
/// The same as an SVG picture; empty without losses.
std::string drawSvg(const std::vector<float> &losses);

} // namespace char_lm

#endif // SMP_EXAMPLES_CHAR_LM_LOSSCURVE_H
