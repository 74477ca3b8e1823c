// SPDX-License-Identifier: Apache-2.0
// Entries of modules, for formats of others.

#ifndef SMP_TOOLS_MODULETOEXPORT_H
#define SMP_TOOLS_MODULETOEXPORT_H

#include "smp/import/OnnxImport.h"
#include "smp/tools/ProgramToExport.h"

namespace smp {

/// An entry of the model as it stands; see chooseEntry(). What is wrong with
/// an op goes to the context's handlers.
StatusOr<ExportedModel> readModuleToExport(ImportedModel model,
                                           const std::string &entry,
                                           const ValuesFrom &from);

} // namespace smp

#endif // SMP_TOOLS_MODULETOEXPORT_H
