// SPDX-License-Identifier: Apache-2.0
#include "ProgramEncode.h"
#include "Features.h"
#include "ProgramHeader.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/VerifyProgram.h"

namespace smp {

using Builder = flatbuffers::FlatBufferBuilder;
template <typename T>
using Offset = flatbuffers::Offset<T>;

Offset<fbs::TensorType> encodeType(Builder &builder, const TensorType &type) {
  auto shape = builder.CreateVector(type.shape);
  return fbs::CreateTensorType(builder, fbs::DType(type.dtype), shape);
}

static Offset<fbs::Variable> encodeVariable(Builder &builder,
                                            const Variable &variable) {
  const Initializer &from = variable.initializer;
  auto name = builder.CreateString(variable.name);
  auto type = encodeType(builder, variable.type);
  auto initializer = fbs::CreateInitializer(builder, uint8_t(from.kind), from.a,
                                            from.b, from.seed);
  return fbs::CreateVariable(builder, name, type, uint8_t(variable.kind),
                             initializer);
}

static Offset<fbs::BlockLaunch>
encodeBlocks(Builder &builder, const std::optional<BlockLaunch> &blocks) {
  if (!blocks)
    return {};
  const auto &[threads, cluster, shared, workspace, faults] = *blocks;
  return fbs::CreateBlockLaunch(builder, threads[0], threads[1], threads[2],
                                cluster[0], cluster[1], cluster[2], shared,
                                workspace, faults);
}

static Offset<fbs::KernelVariant> encodeVariant(Builder &builder,
                                                const KernelVariant &variant) {
  auto target = builder.CreateString(variant.target);
  auto level = builder.CreateString(variant.level);
  auto symbol = builder.CreateString(variant.symbol);
  auto blocks = encodeBlocks(builder, variant.blocks);
  return fbs::CreateKernelVariant(
      builder, target, level, variant.image, symbol, variant.grid[0],
      variant.grid[1], variant.grid[2], variant.scratchBytes, blocks);
}

static Offset<fbs::Kernel> encodeKernel(Builder &builder,
                                        const Kernel &kernel) {
  auto name = builder.CreateString(kernel.name);
  auto variants = encodeList(builder, kernel.variants, encodeVariant);
  return fbs::CreateKernel(builder, name, kernel.numBuffers, variants,
                           kernel.numOutputs, kernel.signature, kernel.flops,
                           kernel.bytes);
}

static Offset<fbs::Launch> encodeLaunch(Builder &builder,
                                        const Launch &launch) {
  auto buffers = encodeList(
      builder, launch.buffers, [](Builder &builder, const BufferRef &buffer) {
        return fbs::CreateBufferRef(builder, uint8_t(buffer.space),
                                    buffer.index, buffer.offset, buffer.bytes);
      });
  auto names = encodeList(
      builder, launch.opNames, [](Builder &builder, const std::string &name) {
        return fbs::CreateOpName(builder, builder.CreateString(name));
      });
  Offset<flatbuffers::Vector<fbs::DType>> dtypes;
  if (!launch.dtypes.empty()) {
    std::vector<fbs::DType> numbers;
    for (DType dtype : launch.dtypes)
      numbers.push_back(fbs::DType(dtype));
    dtypes = builder.CreateVector(numbers);
  }
  Offset<flatbuffers::Vector<uint32_t>> makers;
  if (!launch.makers.empty())
    makers = builder.CreateVector(launch.makers);
  return fbs::CreateLaunch(builder, launch.kernel, buffers, names, dtypes,
                           makers, launch.mayOverflow);
}

static Offset<fbs::Stage> encodeStage(Builder &builder, const Stage &stage) {
  auto name = builder.CreateString(stage.name);
  auto inputs = encodeList(builder, stage.inputs, encodeType);
  auto outputs = encodeList(builder, stage.outputs, encodeType);
  auto launches = encodeList(builder, stage.launches, encodeLaunch);
  return fbs::CreateStage(builder, name, stage.partition, uint8_t(stage.unit),
                          inputs, outputs, stage.arenaBytes, launches,
                          stage.predictedSeconds);
}

static Offset<fbs::Prepared> encodePrepared(Builder &builder,
                                            const Prepared &prepared) {
  return fbs::CreatePrepared(builder, prepared.stage, prepared.output,
                             prepared.bytes);
}

static Offset<fbs::EntryTensor> encodeEntryTensor(Builder &builder,
                                                  const EntryTensor &tensor) {
  auto name = builder.CreateString(tensor.name);
  auto type = encodeType(builder, tensor.type);
  auto mixing = tensor.mixing.empty() ? Offset<flatbuffers::String>()
                                      : builder.CreateString(tensor.mixing);
  return fbs::CreateEntryTensor(builder, name, type, tensor.batchAxis,
                                uint8_t(tensor.source), uint8_t(tensor.join),
                                mixing);
}

static Offset<fbs::EdgeEnd> encodeEnd(Builder &builder, const Edge::End &end) {
  return fbs::CreateEdgeEnd(builder, end.stage, end.index);
}

static Offset<fbs::Edge> encodeEdge(Builder &builder, const Edge &edge) {
  auto type = encodeType(builder, edge.type);
  auto from = encodeEnd(builder, edge.from);
  auto to = encodeList(builder, edge.to, encodeEnd);
  // As CreateEdge does it, but for what older versions do not have.
  fbs::EdgeBuilder made(builder);
  if (edge.transferSeconds != 0)
    made.add_transfer_seconds(edge.transferSeconds);
  made.add_depth(edge.depth);
  made.add_to(to);
  made.add_from(from);
  made.add_type(type);
  return made.Finish();
}

static Offset<fbs::ActionList>
encodeActions(Builder &builder, const std::vector<Action> &actions) {
  std::vector<uint8_t> kinds;
  std::vector<uint32_t> indices, microbatches;
  for (const Action &action : actions) {
    kinds.push_back(uint8_t(action.kind));
    indices.push_back(action.index);
    microbatches.push_back(action.microbatch);
  }
  auto kindList = builder.CreateVector(kinds);
  auto indexList = builder.CreateVector(indices);
  auto microbatchList = builder.CreateVector(microbatches);
  return fbs::CreateActionList(builder, kindList, indexList, microbatchList);
}

static Offset<fbs::Tap> encodeTap(Builder &builder, const Tap &tap) {
  auto name = builder.CreateString(tap.name);
  auto type = encodeType(builder, tap.type);
  return fbs::CreateTap(builder, name, uint8_t(tap.kind), uint8_t(tap.role),
                        type);
}

static Offset<fbs::Twin> encodeTwin(Builder &builder,
                                    const std::optional<Twin> &twin) {
  if (!twin)
    return {};
  auto taps = encodeList(builder, twin->taps, encodeTap);
  return fbs::CreateTwin(builder, twin->of, taps);
}

static Offset<fbs::Entry> encodeEntry(Builder &builder, const Entry &entry) {
  auto name = builder.CreateString(entry.name);
  auto inputs = encodeList(builder, entry.inputs, encodeEntryTensor);
  auto outputs = encodeList(builder, entry.outputs, encodeEntryTensor);
  auto stages = builder.CreateVector(entry.stages);
  auto edges = encodeList(builder, entry.edges, encodeEdge);
  auto graph = encodeGraph(builder, entry.graph);
  auto schedule = builder.CreateString(entry.schedule);
  auto actions = encodeList(builder, entry.actions, encodeActions);
  auto twin = encodeTwin(builder, entry.twin);
  Offset<flatbuffers::Vector<uint32_t>> lags;
  if (!entry.lags.empty())
    lags = builder.CreateVector(entry.lags);
  return fbs::CreateEntry(builder, name, uint8_t(entry.mode), inputs, outputs,
                          stages, edges, graph, entry.microbatches, schedule,
                          actions, twin, lags);
}

static Offset<fbs::ImageInfo> encodeImageInfo(Builder &builder,
                                              const ImageInfo &info) {
  auto architecture = info.architecture.empty()
                          ? Offset<flatbuffers::String>()
                          : builder.CreateString(info.architecture);
  return fbs::CreateImageInfo(builder, uint8_t(info.kind), info.ptx,
                              architecture);
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

namespace {
/// Gives sections their places, one after the other.
class SectionList {
public:
  explicit SectionList(std::vector<std::span<const std::byte>> &sections)
      : sections(sections) {}

  Offset<fbs::Section> add(Builder &builder, std::span<const std::byte> bytes) {
    if (bytes.empty())
      return fbs::CreateSection(builder, 0, 0, crc32c(bytes));
    uint64_t offset = next;
    next = roundUpToPage(offset + bytes.size());
    sections.push_back(bytes);
    return fbs::CreateSection(builder, offset, bytes.size(), crc32c(bytes));
  }

private:
  std::vector<std::span<const std::byte>> &sections;
  uint64_t next = 0;
};
} // namespace

static Offset<fbs::Section>
encodeWeights(Builder &builder, const Program &program, SectionList &sections) {
  if (program.weights.file.empty())
    return sections.add(builder, program.weightBytes);
  return fbs::CreateSection(builder, 0, program.weights.size,
                            program.weights.crc32c);
}

/// FlatBuffers end at 2 GiB; half of that is far beyond any sensible program.
static constexpr uint64_t kMaxEstimatedBytes = uint64_t(1) << 30;

static uint64_t estimateAttribute(const std::string &name,
                                  const Attribute &attribute) {
  uint64_t bytes = 128 + name.size();
  if (const auto *string = std::get_if<std::string>(&attribute))
    bytes += string->size();
  if (const auto *integers = std::get_if<std::vector<int64_t>>(&attribute))
    bytes += 8 * integers->size();
  if (const auto *tensor = std::get_if<HostTensor>(&attribute))
    bytes += tensor->bytes.size() + 8 * tensor->type.shape.size();
  if (const auto *splat = std::get_if<Splat>(&attribute))
    bytes += splat->element.size() + 8 * splat->type.shape.size();
  return bytes;
}

static uint64_t estimateGraph(const Graph &graph) {
  uint64_t bytes = 0;
  for (const GraphValue &value : graph.values)
    bytes += 64 + value.name.size() + 8 * value.type.shape.size();
  for (const GraphOp &op : graph.ops) {
    bytes += 128 + op.name.size() + op.mnemonic.size() +
             4 * (op.operands.size() + op.results.size());
    for (const auto &[name, attribute] : op.attributes)
      bytes += estimateAttribute(name, attribute);
  }
  return bytes;
}

/// Bounds what grows with the model, before FlatBuffers are asked to hold it.
static Status checkTableBytes(const Program &program) {
  uint64_t bytes = 0;
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches) {
      bytes += 64 + 64 * launch.buffers.size() + launch.dtypes.size() +
               4 * launch.makers.size();
      for (const std::string &name : launch.opNames)
        bytes += 32 + name.size();
    }
  for (const Entry &entry : program.entries) {
    bytes += estimateGraph(entry.graph);
    for (const std::vector<Action> &actions : entry.actions)
      bytes += 64 + 9 * actions.size();
  }
  if (bytes <= kMaxEstimatedBytes)
    return Status();
  return invalidArgument(
      "the program's graphs, launches and schedules need about " +
      std::to_string(bytes) + " bytes, of at most " +
      std::to_string(kMaxEstimatedBytes) + "; make large constants variables");
}

StatusOr<EncodedProgram>
encodeProgram(const Program &program,
              const std::vector<std::string> &moreFeatures) {
  SMP_RETURN_IF_ERROR(verifyProgram(program));
  SMP_RETURN_IF_ERROR(checkTableBytes(program));
  EncodedProgram encoded;
  SectionList sections(encoded.sections);
  Builder builder;
  // A field that is left out would read as its default: -0.0 would lose a sign.
  builder.ForceDefaults(true);
  auto producer = builder.CreateString(program.producer);
  std::vector<std::string> features = requiredFeatures(program);
  features.insert(features.end(), moreFeatures.begin(), moreFeatures.end());
  auto required = encodeList(
      builder, features, [](Builder &builder, const std::string &name) {
        return fbs::CreateFeature(builder, builder.CreateString(name));
      });
  auto variables = encodeList(builder, program.variables, encodeVariable);
  auto kernels = encodeList(builder, program.kernels, encodeKernel);
  auto stages = encodeList(builder, program.stages, encodeStage);
  auto prepared = encodeList(builder, program.prepared, encodePrepared);
  auto entries = encodeList(builder, program.entries, encodeEntry);
  auto images =
      encodeList(builder, program.images,
                 [&](Builder &builder, std::span<const std::byte> bytes) {
                   return sections.add(builder, bytes);
                 });
  auto constants = sections.add(builder, program.constants);
  auto weights = encodeWeights(builder, program, sections);
  auto file = builder.CreateString(program.weights.file);
  Offset<flatbuffers::Vector<Offset<fbs::ImageInfo>>> infos;
  encoded.version = programVersionOf(program);
  if (encoded.version > 4) // An older one knows ELF only.
    infos = encodeList(builder, program.imageInfos, encodeImageInfo);
  fbs::FinishProgramBuffer(
      builder, fbs::CreateProgram(builder, producer, required,
                                  SMP_KERNEL_ABI_VERSION, program.partitions,
                                  variables, kernels, stages, prepared, entries,
                                  images, constants, weights, file, infos));
  encoded.table = builder.Release();
  return encoded;
}

} // namespace smp
