// SPDX-License-Identifier: Apache-2.0
// Variables of the application as values of a checkpoint.

#ifndef SMP_CHECKPOINT_APPLICATIONVALUES_H
#define SMP_CHECKPOINT_APPLICATIONVALUES_H

#include "smp/checkpoint/Checkpoint.h"

namespace smp {

/// They borrow the variable.
std::shared_ptr<Saveable> savedNumber(int64_t &value);
std::shared_ptr<Saveable> savedNumber(double &value);
std::shared_ptr<Saveable> savedText(std::string &value);

} // namespace smp

#endif // SMP_CHECKPOINT_APPLICATIONVALUES_H
