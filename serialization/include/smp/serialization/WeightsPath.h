// SPDX-License-Identifier: Apache-2.0
// What files of weights cannot be.

#ifndef SMP_SERIALIZATION_WEIGHTSPATH_H
#define SMP_SERIALIZATION_WEIGHTSPATH_H

#include "smp/base/Status.h"
#include <string>

namespace smp {

/// That the name is not one of PyTorch's pickles, ".pt" or ".pth", which are
/// code that runs when it is read. The error says what to do in their place.
Status refusePickle(const std::string &path);

} // namespace smp

#endif // SMP_SERIALIZATION_WEIGHTSPATH_H
