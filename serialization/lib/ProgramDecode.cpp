// SPDX-License-Identifier: Apache-2.0
#include "ProgramDecode.h"

namespace smp {

bool Decoder::spend(uint64_t bytes) {
  if (!error.ok())
    return false;
  if (bytes > budget) {
    error = invalidArgument("the program's table names the same bytes twice");
    return false;
  }
  budget -= bytes;
  return true;
}

void Decoder::decode(const flatbuffers::String &from, std::string &to) {
  if (spend(from.size()))
    to.assign(from.c_str(), from.size());
}

void Decoder::decode(const fbs::TensorType &from, TensorType &to) {
  to.dtype = DType(from.dtype());
  if (from.shape())
    decodeNumbers(*from.shape(), to.shape);
}

void Decoder::decode(const fbs::Variable &from, Variable &to) {
  decode(*from.name(), to.name);
  decode(*from.type(), to.type);
  to.kind = VariableKind(from.kind());
  const fbs::Initializer &initializer = *from.initializer();
  to.initializer = {Initializer::Kind(initializer.kind()), initializer.a(),
                    initializer.b(), initializer.seed()};
}

static BlockLaunch decodeBlocks(const fbs::BlockLaunch &from) {
  return {{from.threads_x(), from.threads_y(), from.threads_z()},
          {from.cluster_x(), from.cluster_y(), from.cluster_z()},
          from.shared_bytes(),
          from.workspace_bytes(),
          from.fault_records()};
}

void Decoder::decode(const fbs::KernelVariant &from, KernelVariant &to) {
  decode(*from.target(), to.target);
  decode(*from.level(), to.level);
  to.image = from.image();
  decode(*from.symbol(), to.symbol);
  to.grid[0] = from.grid_x();
  to.grid[1] = from.grid_y();
  to.grid[2] = from.grid_z();
  to.scratchBytes = from.scratch_bytes();
  if (from.blocks())
    to.blocks = decodeBlocks(*from.blocks());
}

void Decoder::decode(const fbs::Kernel &from, Kernel &to) {
  decode(*from.name(), to.name);
  to.numBuffers = from.num_buffers();
  decodeList(*from.variants(), to.variants);
  to.numOutputs = from.num_outputs();
  to.signature = from.signature();
  to.flops = from.flops();
  to.bytes = from.bytes();
}

void Decoder::decode(const fbs::ImageInfo &from, ImageInfo &to) {
  to.kind = ImageKind(from.kind());
  to.ptx = from.ptx();
  if (from.architecture())
    decode(*from.architecture(), to.architecture);
}

void Decoder::decode(const fbs::BufferRef &from, BufferRef &to) {
  to = {Space(from.space()), from.index(), from.offset(), from.bytes()};
}

void Decoder::decode(const fbs::OpName &from, std::string &to) {
  decode(*from.name(), to);
}

void Decoder::decode(const fbs::Launch &from, Launch &to) {
  to.kernel = from.kernel();
  decodeList(*from.buffers(), to.buffers);
  decodeList(*from.op_names(), to.opNames);
  if (const auto *dtypes = from.dtypes(); dtypes && spend(dtypes->size()))
    for (flatbuffers::uoffset_t i = 0; i < dtypes->size(); ++i)
      to.dtypes.push_back(DType(dtypes->Get(i)));
  if (from.makers())
    decodeNumbers(*from.makers(), to.makers);
  to.mayOverflow = from.may_overflow();
}

void Decoder::decode(const fbs::Stage &from, Stage &to) {
  decode(*from.name(), to.name);
  to.partition = from.partition();
  to.unit = Unit(from.unit());
  decodeList(*from.inputs(), to.inputs);
  decodeList(*from.outputs(), to.outputs);
  to.arenaBytes = from.arena_bytes();
  decodeList(*from.launches(), to.launches);
  to.predictedSeconds = from.predicted_seconds();
}

void Decoder::decode(const fbs::Prepared &from, Prepared &to) {
  to = {from.stage(), from.output(), from.bytes()};
}

void Decoder::decode(const fbs::EntryTensor &from, EntryTensor &to) {
  decode(*from.name(), to.name);
  decode(*from.type(), to.type);
  to.batchAxis = from.batch_axis();
  to.source = TensorSource(from.source());
  to.join = Join(from.join());
  if (from.mixing())
    decode(*from.mixing(), to.mixing);
}

void Decoder::decode(const fbs::EdgeEnd &from, Edge::End &to) {
  to = {from.stage(), from.index()};
}

void Decoder::decode(const fbs::Edge &from, Edge &to) {
  decode(*from.type(), to.type);
  decode(*from.from(), to.from);
  decodeList(*from.to(), to.to);
  to.depth = from.depth();
  to.transferSeconds = from.transfer_seconds();
}

void Decoder::decode(const fbs::ActionList &from, std::vector<Action> &to) {
  std::vector<uint8_t> kinds;
  std::vector<uint32_t> indices, microbatches;
  decodeNumbers(*from.kinds(), kinds);
  decodeNumbers(*from.indices(), indices);
  decodeNumbers(*from.microbatches(), microbatches);
  if (!error.ok())
    return;
  if (indices.size() != kinds.size() || microbatches.size() != kinds.size()) {
    error = invalidArgument("a list of actions has " +
                            std::to_string(kinds.size()) + " kinds, " +
                            std::to_string(indices.size()) + " indices and " +
                            std::to_string(microbatches.size()) +
                            " microbatches; they must be as many");
    return;
  }
  to.resize(kinds.size());
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = {ActionKind(kinds[i]), indices[i], microbatches[i]};
}

void Decoder::decode(const fbs::Tap &from, Tap &to) {
  decode(*from.name(), to.name);
  to.kind = TapKind(from.kind());
  to.role = TapRole(from.role());
  decode(*from.type(), to.type);
}

void Decoder::decode(const fbs::Entry &from, Entry &to) {
  decode(*from.name(), to.name);
  to.mode = Mode(from.mode());
  decodeList(*from.inputs(), to.inputs);
  decodeList(*from.outputs(), to.outputs);
  decodeNumbers(*from.stages(), to.stages);
  decodeList(*from.edges(), to.edges);
  decode(*from.graph(), to.graph);
  to.microbatches = from.microbatches();
  if (from.schedule())
    decode(*from.schedule(), to.schedule);
  if (from.actions())
    decodeList(*from.actions(), to.actions);
  if (from.lags())
    decodeNumbers(*from.lags(), to.lags);
  if (from.twin()) {
    to.twin = Twin{from.twin()->of(), {}};
    decodeList(*from.twin()->taps(), to.twin->taps);
  }
}

void Decoder::decode(const fbs::Program &from, Program &to) {
  decode(*from.producer(), to.producer);
  to.partitions = from.partitions();
  decodeList(*from.variables(), to.variables);
  decodeList(*from.kernels(), to.kernels);
  decodeList(*from.stages(), to.stages);
  decodeList(*from.prepared(), to.prepared);
  decodeList(*from.entries(), to.entries);
  decode(*from.weights_file(), to.weights.file);
  if (from.image_infos())
    decodeList(*from.image_infos(), to.imageInfos);
}

} // namespace smp
