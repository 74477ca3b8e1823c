// SPDX-License-Identifier: Apache-2.0
// A compiled program as plain structs: what the compiler writes and the runtime
// executes. The file format is in schema/Program.fbs and VERSIONS.md.

#ifndef SMP_SERIALIZATION_PROGRAM_H
#define SMP_SERIALIZATION_PROGRAM_H

#include "smp/model/BlockLaunch.h"
#include "smp/model/Graph.h"
#include "smp/model/Mode.h"
#include "smp/model/Schedule.h"
#include "smp/model/Tap.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace smp {

enum class VariableKind : uint8_t {
  Parameter = 0,
  Optimizer = 1,
  State = 2,
  Random = 3,
  Constant = 4,
  Accumulator = 5, ///< Sums within a step: never shown, never saved.
};

/// The first value of a variable.
struct Initializer {
  enum class Kind : uint8_t {
    Stored = 0,  ///< The tensor of the variable's name in the weights.
    Splat = 1,   ///< All elements `a`.
    Normal = 2,  ///< Philox-normal, mean `a`, standard deviation `b`.
    Uniform = 3, ///< Philox-uniform in [a, b).
  };
  Kind kind = Kind::Stored;
  double a = 0, b = 0;
  uint64_t seed = 0;
};

struct Variable {
  std::string name;
  TensorType type;
  VariableKind kind = VariableKind::Parameter;
  Initializer initializer;
};

/// A kernel for one target and level.
struct KernelVariant {
  std::string target; ///< "x86-64", "cuda".
  /// "v2", "v3", "v4"; "sm_80": a device runs its own or lower.
  std::string level;
  uint32_t image = 0; ///< Index into Program::images.
  std::string symbol;
  uint32_t grid[3] = {1, 1, 1}; ///< Tiles or blocks per dimension, each >= 1.
  uint64_t scratchBytes = 0;    ///< Per thread; see KernelAbi.h.
  std::optional<BlockLaunch> blocks = {}; ///< Of target "cuda".
};

struct Kernel {
  std::string name; ///< For reports: strategy and shape.
  uint32_t numBuffers = 0;
  std::vector<KernelVariant> variants; ///< At most one per target and level.
  /// How many of a launch's buffers, the last ones, it writes; 0: not known.
  uint32_t numOutputs = 0;
  /// Digest of the signature of the group that it computes, by which files of
  /// costs know it (smp/model/Costs.h). Where a group takes several kernels the
  /// first has it. 0: not known, or it goes on with the group of the one before
  /// it.
  uint64_t signature = 0;
  /// What all of that group has to do: operations, those on elements of 8 bytes
  /// counted twice, and bytes that it reads and writes.
  double flops = 0, bytes = 0;
};

/// Where a kernel's buffer lives.
enum class Space : uint8_t {
  Arena = 0,    ///< `offset` bytes into the stage's arena.
  Input = 1,    ///< The stage's input `index`.
  Output = 2,   ///< The stage's output `index`.
  Variable = 3, ///< Program::variables[index].
  Prepared = 4, ///< Program::prepared[index].
  Constant = 5, ///< `offset` bytes into Program::constants.
};

struct BufferRef {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0; ///< Bytes; 0 unless the space says otherwise.
  uint64_t bytes = 0;  ///< What the kernel may touch from there on.
  bool operator==(const BufferRef &) const = default;
};

struct Launch {
  uint32_t kernel = 0;
  std::vector<BufferRef> buffers;   ///< Inputs, then outputs.
  std::vector<std::string> opNames; ///< The ops in it: see smp_kernel_fault.
  /// What the buffers hold, one each; empty: not known.
  std::vector<DType> dtypes = {};
  /// Per output, the op that makes it: index into opNames. Empty: not known.
  std::vector<uint32_t> makers = {};
  /// Whether gradients that may overflow, being scaled, are among what it works
  /// on. The program notices by itself and then keeps its variables.
  bool mayOverflow = false;
};

enum class Unit : uint8_t {
  Forward = 0,
  BackwardInput = 1,
  BackwardWeight = 2,
  Update = 3,
  Prepare = 4,
};

/// What one partition runs between two transfers.
struct Stage {
  std::string name;
  uint32_t partition = 0;
  Unit unit = Unit::Forward;
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  uint64_t arenaBytes = 0;      ///< Scratch for one run, aligned to 64 bytes.
  std::vector<Launch> launches; ///< Run one after the other.
  double predictedSeconds = 0;  ///< One run, one core, the cost model's guess.
};

/// A value derived from variables at load: packed weights, folded scales. It is
/// computed again after a variable that its stage reads is assigned.
struct Prepared {
  uint32_t stage = 0; ///< Index into Program::stages, of unit Prepare.
  uint32_t output = 0;
  uint64_t bytes = 0;
};

/// Who gives an entry's input. Numbers are stored in files.
enum class TensorSource : uint8_t {
  Caller = 0,
  /// The runtime: the number of the microbatch in the step, as i64[1] with
  /// batch axis 0. The caller does not see this input.
  Microbatch = 1,
};

/// What becomes of the values that microbatches give to an output. Numbers are
/// stored in files.
enum class Join : uint8_t {
  /// Nobody knows (before format 1.4): a step has one microbatch, unless the
  /// entry fixes how many it has.
  Unknown = 0,
  /// The entry is a step by definition: along the batch axis or, without one,
  /// one after the other.
  Each = 1,
  Concat = 2, ///< Rows along the batch axis; proved.
  Same = 3,   ///< All microbatches give the same; proved.
  Sum = 4,
  Mean = 5,
  /// What a row gives depends on others: a step has one microbatch.
  Mixed = 6,
};

/// "each", "concat" ...
const char *toString(Join join);

struct EntryTensor {
  std::string name;
  TensorType type; ///< Of one microbatch.
  /// The dimension along which microbatches are split or joined; -1: none,
  /// every microbatch gets the whole input.
  int32_t batchAxis = -1;
  TensorSource source = TensorSource::Caller; ///< Of an output: Caller.
  Join join = Join::Unknown;                  ///< Of an input: Unknown.
  /// Of an output that is Mixed: which op mixes rows, and how; else empty.
  std::string mixing = {};

  bool operator==(const EntryTensor &) const = default;
};

/// What makes an entry a twin of another one: it does the same to the same
/// inputs and variables, bit by bit, and shows values besides.
struct Twin {
  uint32_t of = 0; ///< Index into Program::entries, of no twin.
  /// What the last outputs show, one each. Each is an f64[1, kNumStatistics] or
  /// has the value's type behind a first dimension of 1.
  std::vector<Tap> taps;

  bool shows(TapKind kind) const;
};

/// A tensor that leaves a stage or comes from the caller, and all who take it.
struct Edge {
  static constexpr int32_t kCaller = -1;
  struct End {
    int32_t stage = kCaller; ///< Position in Entry::stages, or kCaller.
    uint32_t index = 0;      ///< Which input or output of it.
    bool operator==(const End &) const = default;
  };
  TensorType type;
  End from;
  std::vector<End> to; ///< Not empty.
  /// How many microbatches' tensors may exist at once between two stages, >= 1.
  uint32_t depth = 2;
  /// Where it goes to another partition: how long that keeps each partition
  /// busy that it touches, the cost model's guess.
  double transferSeconds = 0;
};

/// A named graph of the program, compiled.
struct Entry {
  std::string name;
  Mode mode = Mode::Predict;
  std::vector<EntryTensor> inputs;
  std::vector<EntryTensor> outputs;
  /// Indices into Program::stages, in an order that respects the edges.
  std::vector<uint32_t> stages;
  std::vector<Edge> edges;
  /// What the model said, for people and for the reference evaluator.
  Graph graph;
  /// How many a step is cut into. 0: any number, and stages are forward ones,
  /// run as forwardOnly says.
  uint32_t microbatches = 0;
  /// Where that is any number, by stage: its lag; empty: 0 each.
  std::vector<uint32_t> lags = {};
  /// For people: "simple", "interleaved", "table"; empty for forwardOnly.
  std::string schedule = {};
  /// Per partition, about pipelineShape(); empty when microbatches is 0.
  std::vector<std::vector<Action>> actions = {};
  /// Nothing for an entry that a caller asks for.
  std::optional<Twin> twin = {};

  /// How many outputs are for callers; they come first.
  size_t numGiven() const {
    return outputs.size() - (twin ? twin->taps.size() : 0);
  }
  /// Whether an output is there to show a value to who watches.
  bool isShown(size_t output) const { return output >= numGiven(); }
};

/// Where stored variables' bytes are: a safetensors blob.
struct Weights {
  std::string file;    ///< Beside the program; empty: inside it.
  uint64_t size = 0;   ///< Bytes of the blob; 0: there is none.
  uint32_t crc32c = 0; ///< Of the whole blob.
};

/// What an image is. Numbers are stored in files.
enum class ImageKind : uint8_t {
  Elf = 0,   ///< A shared object for a CPU.
  Ptx = 1,   ///< A text, without a NUL at its end.
  Cubin = 2, ///< A PTX image, assembled.
};

struct ImageInfo {
  ImageKind kind = ImageKind::Elf;
  uint32_t ptx = 0; ///< Of a cubin: index of the image it was assembled from.
  std::string architecture = {}; ///< Of a cubin: "sm_80", "sm_90a".
};

struct Program {
  std::string producer; ///< Tool and version that wrote it.
  uint32_t partitions = 1;
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
  std::vector<Stage> stages;
  std::vector<Prepared> prepared;
  std::vector<Entry> entries;
  Weights weights;
  /// Bytes are borrowed: from the file's mapping, or from who builds it.
  std::vector<std::span<const std::byte>> images;
  std::vector<ImageInfo> imageInfos; ///< Of the images; empty: all are ELF.
  std::span<const std::byte> constants;
  std::span<const std::byte> weightBytes; ///< Empty when beside the program.
};

/// "elf", "ptx", "cubin".
const char *toString(ImageKind kind);

/// What the image is.
inline ImageKind imageKind(const Program &program, size_t image) {
  return program.imageInfos.empty() ? ImageKind::Elf
                                    : program.imageInfos[image].kind;
}

/// The stages and channels of an entry, as the schedule verifier wants them:
/// one channel per edge and consuming stage, in edge order.
PipelineShape pipelineShape(const Program &program, const Entry &entry);

/// What its stages take in one run, and its channels, as predicted.
std::vector<double> predictedStageCosts(const Program &program,
                                        const Entry &entry);
std::vector<ChannelCost> predictedChannelCosts(const Program &program,
                                               const Entry &entry);
/// The entry's schedule, or the generated one, played with these.
Timeline predictTimeline(const Program &program, const Entry &entry,
                         uint32_t microbatches);

/// Which variables some launch is known to write, by index.
std::vector<bool> assignedVariables(const Program &program);

/// The variables, but accumulators, that stages of the entry are known to write
/// once per microbatch, by partition; ascending.
std::vector<std::vector<uint32_t>> assignedPerMicrobatch(const Program &program,
                                                         const Entry &entry);

/// The stages and channels of an entry that runs any number of microbatches get
/// the lags and depths of its shape, which planForwardOnly() has given it.
void setForwardOrder(Entry &entry, const PipelineShape &pipeline);

/// Gives each edge the depth of its deepest channel; `channels` is per channel
/// of pipelineShape(). Edges without a channel keep theirs.
void setEdgeDepths(Entry &entry, std::span<const uint32_t> channels);

/// The entry's stored schedule, or the generated one of `microbatches` when it
/// runs any number of them.
Schedule scheduleOf(const Program &program, const Entry &entry,
                    uint32_t microbatches);

} // namespace smp

#endif // SMP_SERIALIZATION_PROGRAM_H
