// SPDX-License-Identifier: Apache-2.0
// How a model's outputs follow from the rows of its inputs.

#ifndef SMP_IMPORT_LIB_JOINS_H
#define SMP_IMPORT_LIB_JOINS_H

#include "Dimensions.h"
#include "RowNumbers.h"

namespace smp::frontend {

/// Imports the model with other sizes; after an error nothing, and what it is.
using ImportAgain = llvm::function_ref<std::optional<ImportedModel>(
    const Dimensions &dims, RowNumbers &rows, std::string &error)>;

/// Decides the join of every output of a model that was imported with `dims`
/// and `rows`. What the model does with more rows is seen by importing it for
/// two other numbers of them, since sizes of 1 and computed shapes hide it.
/// Where it cannot be, because it is
/// written for so many rows, nothing is decided if a person declared that, and
/// every output is mixed if the model says that it takes any number.
void decideJoins(ImportedModel &model, const Dimensions &dims,
                 const RowNumbers &rows, ImportAgain importAgain);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_JOINS_H
