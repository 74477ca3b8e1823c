// SPDX-License-Identifier: Apache-2.0
// What goes into a Session and what comes out of it.

#ifndef SMP_EXEC_SESSIONTYPES_H
#define SMP_EXEC_SESSIONTYPES_H

#include "smp/base/Export.h"
#include "smp/base/Log.h"
#include "smp/base/Status.h"
#include "smp/device/HostAllocator.h"
#include "smp/device/KernelCounts.h"
#include "smp/model/DTypeOf.h"
#include "smp/model/HostTensor.h"
#include "smp/model/Tap.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

class Communicator;

/// When something ran: one stage, or one kernel of it.
struct ProfileSpan {
  enum class Kind : uint8_t { Stage, Kernel };
  Kind kind = Kind::Stage;
  std::string_view name;
  uint32_t partition = 0;
  uint32_t microbatch = 0;
  uint64_t begin = 0, end = 0; ///< Nanoseconds of the steady clock.
  /// Which stage or kernel of the program. Since 0.1.
  uint32_t number = 0;
};

/// Gets all spans of a step, after it, on the thread that called step(). The
/// spans are borrowed for the call.
using ProfileSink = std::function<void(std::string_view entry,
                                       std::span<const ProfileSpan> spans)>;

/// Which values no kernel of a step may write.
enum class CheckNumerics : int {
  Off = 0,
  Nan = 1,
  /// Also infinities, which models have on purpose where they mask with them.
  NanAndInf = 2,
};

struct SessionOptions {
  /// One per partition: "cpu:0,cpu:1", which divide the cores that the process
  /// may use; with several ranks the rank in front: "0/cpu:0,1/cpu:0". What
  /// follows '=' is for the driver, as cores in "cpu:0=0-3,cpu:1=5,7". Empty:
  /// cpu:0, cpu:1 and so on.
  std::string devices = {};
  /// The highest level of kernels to use, as drivers name those of their
  /// devices; the CPU's are "v2", "v3" and so on. Empty: what there is.
  std::string level = {};
  /// After so many seconds without progress a step ends with a report of who
  /// waits for whom. 0: never; at most 1e9. A running kernel is not ended, but
  /// named.
  double deadlineSeconds = 60;
  /// The most that one device may allocate; 0: no limit. Weights that are used
  /// where they are mapped do not count.
  uint64_t memoryLimitBytes = 0;
  HostAllocator allocator = {}; ///< Empty: the C library's.
  LogSink log = {};
  ProfileSink profile = {}; ///< Measuring costs two clock reads per kernel.
  /// Borrowed, for this Session alone; null: one rank.
  Communicator *communicator = nullptr;
  /// With several ranks: the outputs this rank wants, by name. Empty: all.
  std::vector<std::string> wantedOutputs = {};
  uint64_t seed = 0; ///< Of drivers that make random choices; 0: any.
  /// Ends a step at the first kernel that writes such a float, with an error
  /// that names the op; variables are as before the step unless it is of the
  /// update. For finding out: each kernel is waited for. Gradients scaled for
  /// f16, which may overflow, are left to the program.
  CheckNumerics checkNumerics = CheckNumerics::Off;
};

/// A dense row-major tensor in memory that somebody else owns.
struct TensorView {
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  const void *data = nullptr;
};

struct InputTensor {
  std::string_view name;
  TensorView tensor;
};

/// Memory of the caller that an output is to be written into, in which no input
/// of the step is and no other output: the step is refused.
struct OutputBinding {
  std::string_view name;
  void *data = nullptr;
  /// Must be what the output has: without a batch axis, sum or mean, the values
  /// of all microbatches, one after the other.
  uint64_t bytes = 0;
};

struct StepOptions {
  /// 0: what the inputs' sizes say. Needed where a rank is given no input that
  /// says it.
  uint32_t microbatches = 0;
  std::span<const OutputBinding> outputs;
};

/// One output of a step: all microbatches, joined along the batch axis, or
/// their sum or mean. Else the value of the last microbatch or, where an update
/// makes it, of the step. What the calls return is a copy, which outlives the
/// next step.
struct OutputTensor {
  std::string_view name;
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  void *data = nullptr;
  uint64_t bytes = 0; ///< Of `shape`.
  int32_t batchAxis = -1;
  uint32_t microbatches = 1; ///< How many values there are.

  /// The elements of `shape`, row-major. Fails when it has others than T's.
  template <ElementType T>
  StatusOr<std::span<const T>> values() const {
    if (dtype != dtypeOf<T>())
      return wrongType(dtypeOf<T>());
    return std::span<const T>(static_cast<const T *>(data), bytes / sizeof(T));
  }
  /// The value of microbatch `m`, for batch axis 0 or -1. Without a batch axis
  /// values lie one after the other, and `data` is where the last one is.
  const void *microbatch(uint32_t m) const {
    const auto *bytesOf = static_cast<const std::byte *>(data);
    return batchAxis < 0 ? bytesOf - bytes * (microbatches - 1 - m)
                         : bytesOf + bytes / microbatches * m;
  }

  /// The values of the microbatches in their order, for any batch axis.
  SMP_API std::vector<HostTensor> outputs() const;
  /// Their sum, element by element, in their order. 16-bit floats are summed in
  /// f32 and rounded once; integers wrap around. Fails for bool.
  SMP_API StatusOr<HostTensor> reduceSum() const;
  /// The sum divided by their number, before it is rounded. Fails for integers
  /// and bool.
  SMP_API StatusOr<HostTensor> reduceMean() const;
  /// The values joined along the batch axis. Fails without one: stack() works.
  SMP_API StatusOr<HostTensor> concat() const;
  /// The same as concat().
  SMP_API StatusOr<HostTensor> merge() const;
  /// The values along a new first axis.
  SMP_API HostTensor stack() const;
  /// The same as reduceMean(), which holds one value and the sum, whatever the
  /// number of microbatches. `method` is a name that people know from
  /// elsewhere: "variable", "add_n" or "accumulate_n".
  SMP_API StatusOr<HostTensor>
  accumulate(std::string_view method = "variable") const;

private:
  SMP_API Status wrongType(DType asked) const;
};

/// The outputs of a step: views that are valid until the next step.
class SMP_API StepOutput {
public:
  StepOutput() = default;
  explicit StepOutput(std::span<const OutputTensor> views) : tensors(views) {}

  std::span<const OutputTensor> all() const { return tensors; }
  /// Null when there is no such output, or this rank did not want it.
  const OutputTensor *find(std::string_view name) const;
  /// The elements of an output, row-major. Fails when it has others than T's,
  /// or is not there.
  template <ElementType T>
  StatusOr<std::span<const T>> values(std::string_view name) const {
    const OutputTensor *output = find(name);
    if (!output)
      return notThere(name);
    return output->values<T>();
  }

private:
  Status notThere(std::string_view name) const;
  std::span<const OutputTensor> tensors;
};

/// An input or output of an entry, for one microbatch.
struct TensorSignature {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// The dimension that microbatches are split or joined along; -1: none.
  int32_t batchAxis = -1;
  /// Of an output, what becomes of the values of several microbatches:
  /// "concat": rows joined along the batch axis, "same": all give the same,
  /// "sum", "mean", "each": kept as the entry's author says, along the batch
  /// axis or else one after the other; "mixed", "unknown": a step has one
  /// microbatch. Empty: an input. Since 0.1.
  std::string join = {};
};

struct EntrySignature {
  std::string name;
  std::string mode; ///< "train", "eval", "predict" or "global".
  std::vector<TensorSignature> inputs, outputs;
  /// How many microbatches a step has; 0: any number.
  uint32_t microbatches = 0;
  /// What the program was compiled to show observers of its steps, each value
  /// once. Since 0.1.
  std::vector<Tap> taps = {};
};

struct VariableSignature {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::string
      kind; ///< "parameter", "optimizer", "state", "random", "constant".
};

/// Memory of one device of this rank.
struct DeviceMemory {
  std::string device;
  std::string kind; ///< What numbers depend on: target and level.
  uint32_t partition = 0;
  uint64_t currentBytes = 0;
  uint64_t peakBytes = 0;
  /// Weights and constants used where the program is mapped.
  uint64_t importedBytes = 0;
  /// That part of currentBytes which open Sessions of one SharedProgram have
  /// together: values prepared from weights that none of them has set. Since
  /// 0.1.
  uint64_t sharedBytes = 0;
  /// Or multiprocessors: what kernels of the device are computed by. Since 0.1.
  uint32_t cores = 1;
};

/// What a stage took, over all steps since load.
struct StageTime {
  std::string entry, stage;
  uint32_t partition = 0;
  double predictedSeconds = 0; ///< Of one run.
  double measuredSeconds = 0;  ///< Of one run, on average.
  uint64_t runs = 0;
};

/// What a device that counts, as an emulated GPU does, has counted of a kernel.
struct KernelWork {
  std::string kernel;
  uint32_t partition = 0;
  KernelCounts counts;
  /// What the inputs and outputs of all its launches hold.
  uint64_t bufferBytes = 0;

  /// To and from the device's memory.
  uint64_t movedBytes() const {
    return 32 * (counts.sectorsRead + counts.sectorsWritten);
  }
};

/// What opening a Session took.
struct LoadTime {
  double loadSeconds = 0;    ///< All but the next three.
  double jitSeconds = 0;     ///< Devices making machine code of kernels.
  double weightsSeconds = 0; ///< Checking and making variables' first values.
  double packSeconds = 0;    ///< Values derived from them.
};

} // namespace smp

#endif // SMP_EXEC_SESSIONTYPES_H
