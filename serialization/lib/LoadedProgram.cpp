// SPDX-License-Identifier: Apache-2.0
#include "ProgramHeader.h"
#include "Where.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"

namespace smp {

static Status checkDigest(const Weights &weights,
                          std::span<const std::byte> blob) {
  const std::string what =
      weights.file.empty() ? "the program's weights"
                           : "the program's weights in " + quote(weights.file);
  if (blob.empty())
    return failedPrecondition(what + " are not there: give their bytes");
  if (blob.size() != weights.size)
    return dataLoss(what + " have " + std::to_string(blob.size()) +
                    " bytes; the program was compiled with " +
                    std::to_string(weights.size));
  if (crc32c(blob) != weights.crc32c)
    return dataLoss(what + " are damaged, or those of another program: their "
                           "digest differs");
  return Status();
}

std::vector<FilePart> LoadedProgram::parts() const {
  std::vector<FilePart> parts;
  uint64_t end = 0;
  auto add = [&](std::string name, uint64_t bytes) {
    if (bytes == 0)
      return;
    parts.push_back({std::move(name), end, bytes});
    end += bytes;
  };
  auto addSection = [&](std::string name, std::span<const std::byte> bytes) {
    if (bytes.empty())
      return;
    add("padding", roundUpToPage(end) - end);
    add(std::move(name), bytes.size());
  };
  add("header", kHeaderBytes);
  add("table", tableLength);
  for (size_t i = 0; i < contents.images.size(); ++i)
    addSection("images[" + std::to_string(i) + "]", contents.images[i]);
  addSection("constants", contents.constants);
  addSection("weights", contents.weightBytes);
  return parts;
}

Status LoadedProgram::checkWeights() const {
  if (contents.weights.size == 0)
    return Status();
  SMP_RETURN_IF_ERROR(checkDigest(contents.weights, blob));
  SMP_ASSIGN_OR_RETURN(Safetensors weights,
                       Safetensors::parse(blob).in("the program's weights"));
  for (const Variable &variable : contents.variables) {
    if (variable.initializer.kind != Initializer::Kind::Stored)
      continue;
    const SafetensorsTensor *tensor = weights.find(variable.name);
    if (!tensor)
      return dataLoss("the program's weights have no tensor " +
                      quote(variable.name));
    if (tensor->type != variable.type)
      return dataLoss("the program's weights have " + quote(variable.name) +
                      " as " + toString(tensor->type) + "; the program wants " +
                      toString(variable.type));
  }
  return Status();
}

} // namespace smp
