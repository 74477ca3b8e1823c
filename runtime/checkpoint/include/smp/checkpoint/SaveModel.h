// SPDX-License-Identifier: Apache-2.0
// A trained model for those who run it. Since 0.1.
//
//   auto saved = smp::saveModel(session); // Between two steps.
//   auto model = smp::Session::open("/opt/ml/model/program.smp");

#ifndef SMP_CHECKPOINT_SAVEMODEL_H
#define SMP_CHECKPOINT_SAVEMODEL_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include <string>

namespace smp {

class FileSystem;
class SessionCore;

/// Writes the Session's program into the folder `path`, which is made if need
/// be: `program.smp`, all entries with the variables as they are now for their
/// first values, and `model.safetensors` beside it, which has the values.
/// Parameters and states have the latest; slots of the optimizer and random
/// values begin anew, as they began in the Session's program, which is the way
/// of a checkpoint to go on from. Gives the path of the program.
///
/// The program appears last: without it there is no model, and with it both
/// are whole, whatever is killed or loses its power. A folder that has a model,
/// or a `model.safetensors` of somebody else, is refused, and nothing is
/// replaced but the weights that a call left which was killed.
///
/// Where the Session is one of several ranks, all of them call it between the
/// same steps. Rank 0 holds one copy of what is written, and writes it, to its
/// own `path`; what fails on one rank fails on all.
SMP_API StatusOr<std::string>
saveModel(SessionCore &session, const std::string &path = "/opt/ml/model");
/// The same over other files than the disk's.
StatusOr<std::string> saveModel(SessionCore &session, const std::string &path,
                                FileSystem &files);

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEMODEL_H
