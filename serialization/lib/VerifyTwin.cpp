// SPDX-License-Identifier: Apache-2.0
#include "VerifyParts.h"
#include "smp/model/TensorStatistics.h"

namespace smp {

/// What an output that shows the value holds.
static TensorType shownType(const Tap &tap) {
  if (tap.kind == TapKind::Statistics)
    return {DType::F64,
            {1, numStatisticsBlocks(tap.type.elements()), kNumStatistics}};
  TensorType type = tap.type;
  type.shape.insert(type.shape.begin(), 1);
  return type;
}

static Status verifyTap(const Tap &tap, const EntryTensor &output,
                        const Where &where) {
  SMP_RETURN_IF_ERROR(where.field("kind").checkEnum(
      uint8_t(tap.kind), uint8_t(TapKind::Statistics),
      uint8_t(TapKind::Whole)));
  SMP_RETURN_IF_ERROR(where.field("role").checkEnum(
      uint8_t(tap.role), 0, uint8_t(TapRole::OutputGradient)));
  SMP_RETURN_IF_ERROR(verifyType(tap.type, where.field("type")));
  if (tap.name.empty())
    return where.field("name").is("is empty");
  if (output.name != outputPrefix(tap.kind) + tap.name)
    return where.field("name").is("is " + quote(tap.name) +
                                  ", and its output is called " +
                                  quote(output.name));
  if (output.type != shownType(tap))
    return where.field("type").is("is " + toString(tap.type) +
                                  ", and its output a " +
                                  toString(output.type));
  return Status();
}

Status verifyTwin(const Program &program, const Entry &entry,
                  const Where &where) {
  const Twin &twin = *entry.twin;
  const Where twinWhere = where.field("twin");
  const auto number = size_t(&entry - program.entries.data());
  SMP_RETURN_IF_ERROR(
      twinWhere.field("of").checkIndex(twin.of, number, "entries before it"));
  const Entry &of = program.entries[twin.of];
  if (of.twin)
    return twinWhere.field("of").is("is " + std::to_string(twin.of) +
                                    ", which is a twin itself");
  if (entry.mode != of.mode || entry.microbatches != of.microbatches ||
      entry.inputs != of.inputs)
    return twinWhere.is("differs from " + quote(of.name) +
                        " in its mode, its microbatches or its inputs");
  if (entry.outputs.size() != of.outputs.size() + twin.taps.size() ||
      !std::equal(of.outputs.begin(), of.outputs.end(), entry.outputs.begin()))
    return twinWhere.is("must have the outputs of " + quote(of.name) +
                        ", then one for each of its " +
                        std::to_string(twin.taps.size()) + " taps");
  for (size_t i = 0; i < twin.taps.size(); ++i)
    SMP_RETURN_IF_ERROR(verifyTap(twin.taps[i],
                                  entry.outputs[of.outputs.size() + i],
                                  twinWhere.at("taps", i)));
  return Status();
}

} // namespace smp
