// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/VerifyProgram.h"
#include "VerifyParts.h"
#include <cmath>

namespace smp {

Status verifyType(const TensorType &type, const Where &where) {
  SMP_RETURN_IF_ERROR(
      where.field("dtype").checkEnum(uint8_t(type.dtype), 0, kNumDTypes - 1));
  std::optional<int64_t> bytes = checkedBytes(type);
  if (!bytes || uint64_t(*bytes) > kMaxBytes)
    return where.field("shape").is("is " + toString(type.shape) +
                                   "; sizes must be 0 or more and the bytes at "
                                   "most " +
                                   std::to_string(kMaxBytes));
  return Status();
}

Status verifyNewName(const std::string &name, std::set<std::string_view> &names,
                     const Where &where) {
  if (name.empty())
    return where.field("name").is("is empty");
  if (!names.insert(name).second)
    return where.field("name").is("is " + quote(name) +
                                  ", which is taken by an earlier one");
  return Status();
}

static Status verifyInitializer(const Initializer &initializer,
                                const Where &where) {
  using Kind = Initializer::Kind;
  SMP_RETURN_IF_ERROR(where.field("kind").checkEnum(uint8_t(initializer.kind),
                                                    0, uint8_t(Kind::Uniform)));
  bool random =
      initializer.kind == Kind::Normal || initializer.kind == Kind::Uniform;
  if (!random)
    return Status();
  if (!std::isfinite(initializer.a) || !std::isfinite(initializer.b))
    return where.is("has a parameter that is not finite");
  if (initializer.kind == Kind::Normal && initializer.b < 0)
    return where.field("b").is("is negative; a deviation is 0 or more");
  if (initializer.kind == Kind::Uniform && initializer.b < initializer.a)
    return where.field("b").is("is below a; the range is [a, b)");
  return Status();
}

Status verifySum(uint64_t &sum, uint64_t bytes, const Where &where) {
  sum += bytes;
  if (sum <= kMaxBytes)
    return Status();
  return where.is("and those before it have " + std::to_string(sum) +
                  " bytes; at most " + std::to_string(kMaxBytes));
}

Status verifyVariables(const Program &program,
                       std::set<std::string_view> &names) {
  const Where root;
  uint64_t bytes = 0;
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const Variable &variable = program.variables[i];
    const Where where = root.at("variables", i);
    SMP_RETURN_IF_ERROR(verifyNewName(variable.name, names, where));
    SMP_RETURN_IF_ERROR(verifyType(variable.type, where.field("type")));
    SMP_RETURN_IF_ERROR(
        verifySum(bytes, uint64_t(variable.type.bytes()), where));
    SMP_RETURN_IF_ERROR(where.field("kind").checkEnum(
        uint8_t(variable.kind), 0, uint8_t(VariableKind::Accumulator)));
    const Where from = where.field("initializer");
    SMP_RETURN_IF_ERROR(verifyInitializer(variable.initializer, from));
    if (variable.initializer.kind == Initializer::Kind::Stored &&
        program.weights.size == 0)
      return from.is("is stored, but the program has no weights");
  }
  return Status();
}

/// The file lies beside the program: a plain name leads nowhere else.
static bool isPlainFileName(const std::string &name) {
  return name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

static Status verifyWeights(const Program &program) {
  const Where root;
  const Where where = root.field("weights");
  const Weights &weights = program.weights;
  if (!isPlainFileName(weights.file))
    return where.field("file").is("is " + quote(weights.file) +
                                  "; it must be a name without a folder");
  SMP_RETURN_IF_ERROR(where.field("size").checkMost(weights.size, kMaxBytes));
  if (weights.size == 0 && !weights.file.empty())
    return where.field("size").is("is 0, but weights.file is " +
                                  quote(weights.file));
  uint64_t inside = weights.file.empty() ? weights.size : 0;
  if (program.weightBytes.size() != inside)
    return where.is("inside the program have " +
                    std::to_string(program.weightBytes.size()) +
                    " bytes; they should have " + std::to_string(inside));
  return Status();
}

Status verifyProgram(const Program &program) {
  const Where root;
  if (program.partitions == 0)
    return root.field("partitions").is("is 0; at least 1");
  SMP_RETURN_IF_ERROR(
      root.field("partitions").checkMost(program.partitions, kMaxPartitions));
  SMP_RETURN_IF_ERROR(verifyWeights(program));
  std::set<std::string_view> variables;
  SMP_RETURN_IF_ERROR(verifyVariables(program, variables));
  SMP_RETURN_IF_ERROR(verifyImages(program));
  SMP_RETURN_IF_ERROR(verifyKernels(program));
  SMP_RETURN_IF_ERROR(verifyStages(program));
  SMP_RETURN_IF_ERROR(verifyPrepared(program));
  SMP_RETURN_IF_ERROR(verifyLaunches(program));
  std::set<std::string_view> names;
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const Entry &entry = program.entries[i];
    const Where where = root.at("entries", i);
    SMP_RETURN_IF_ERROR(verifyNewName(entry.name, names, where));
    SMP_RETURN_IF_ERROR(verifyEntry(program, entry, where));
    SMP_RETURN_IF_ERROR(verifyGraph(program, entry, variables, where));
    if (entry.twin)
      SMP_RETURN_IF_ERROR(verifyTwin(program, entry, where));
  }
  return Status();
}

} // namespace smp
