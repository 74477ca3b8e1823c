// SPDX-License-Identifier: Apache-2.0
// Entries of compiled programs, for formats of others.

#ifndef SMP_TOOLS_PROGRAMTOEXPORT_H
#define SMP_TOOLS_PROGRAMTOEXPORT_H

#include "smp/model/Mode.h"
#include "smp/tools/ExportedModel.h"
#include "smp/tools/VariableValues.h"

namespace smp {

struct EntryChoice {
  std::string name;
  Mode mode = Mode::Predict;
};

/// The place of the entry that is wanted: that of the name or, where none is
/// given, the only one, or the only one that predicts.
StatusOr<size_t> chooseEntry(const std::vector<EntryChoice> &entries,
                             const std::string &wanted);

/// An entry of the program in the file `path`, as its model says it, for any
/// devices. `entry` may be empty: see chooseEntry().
StatusOr<ExportedModel> readProgramToExport(const std::string &path,
                                            const std::string &entry,
                                            const ValuesFrom &from);

} // namespace smp

#endif // SMP_TOOLS_PROGRAMTOEXPORT_H
