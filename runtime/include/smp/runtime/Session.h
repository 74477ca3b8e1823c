// SPDX-License-Identifier: Apache-2.0
// Running compiled programs in an application. Since 0.1.
//
//   auto session = smp::Session::open("model.smp");
//   if (!session.ok()) ... session.status().message()
//   smp::InputTensor x{"x", {smp::DType::F32, shape, data}};
//   auto output = session->step("predict", {&x, 1});
//   if (output.ok()) ... output->find("logits")->data

#ifndef SMP_RUNTIME_SESSION_H
#define SMP_RUNTIME_SESSION_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/base/Version.h"
#include "smp/exec/SessionTypes.h"
#include "smp/exec/StepObserver.h"

namespace smp {

class RunnableProgram;
class SessionCore;

/// A loaded program that several Sessions can share, with its weights. Copies
/// refer to the same program. A program is executable code: load it only from
/// whom you would load a shared library from.
class SMP_API SharedProgram {
public:
  /// Maps the file and checks it, and maps the weights beside it if it names
  /// some.
  static StatusOr<SharedProgram> open(const std::string &path);
  /// The same from memory that outlives it; `bytes` start at a multiple of 16.
  /// `weights` are those beside the program, if it names some.
  static StatusOr<SharedProgram> read(std::span<const std::byte> bytes,
                                      std::span<const std::byte> weights = {});

  std::vector<EntrySignature> entries() const;
  std::vector<VariableSignature> variables() const;
  /// The same for equal programs, another one for others: what ranks compare
  /// (SocketOptions::program).
  uint64_t fingerprint() const;

private:
  friend class Session;
  explicit SharedProgram(std::shared_ptr<RunnableProgram> runnable)
      : program(std::move(runnable)) {}
  std::shared_ptr<RunnableProgram> program;
};

/// A program on devices. One step at a time; different Sessions may be used by
/// different threads at once. No thread exists before open(). A process forked
/// off later cannot use the Session.
class SMP_API Session {
public:
  static StatusOr<Session> open(const std::string &path,
                                SessionOptions options = {});
  static StatusOr<Session> open(const SharedProgram &program,
                                SessionOptions options = {});
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  /// A step that stepAsync() started ends as requestStop() ends it, and its
  /// `done` is called; waits for that, and for kernels that still run.
  ~Session();

  /// Runs an entry over all microbatches that the inputs hold: a batch axis of
  /// M times the microbatch's size. Inputs are used where they are, outputs are
  /// views that are valid until the next step, or the memory in `options`.
  ///
  /// With several ranks every rank calls it with the same entry and number of
  /// microbatches, and gives the inputs that its partitions use.
  ///
  /// A step that fails before its update changes nothing. After
  /// DeadlineExceeded inputs and bound outputs must stay valid until a later
  /// step succeeds or the Session is gone: a kernel may still run. After any
  /// other error none of this rank does.
  StatusOr<StepOutput> step(std::string_view entry,
                            std::span<const InputTensor> inputs,
                            const StepOptions &options = {});
  /// Starts a step and returns; `done` is called with its result on a thread of
  /// the Session, and may start the next one or close the Session. Tensors stay
  /// valid until then. Fails when a step runs.
  ///
  /// What `done` throws is caught, said to the log as a warning, and lost; so
  /// is what SessionOptions::profile throws in any step. What the log throws is
  /// lost, and an allocator that throws has no memory.
  Status stepAsync(std::string_view entry, std::span<const InputTensor> inputs,
                   const StepOptions &options,
                   std::function<void(StatusOr<StepOutput>)> done);
  /// Makes the running step and all later ones end with Cancelled, as soon as
  /// the kernels that run are done, those that a GPU was given among them. An
  /// update that has begun is made, and its step is no error. Any thread may
  /// call it, no signal handler.
  void requestStop();
  /// Lets steps run again.
  void clearStop();

  /// Copies a value of the variable's type and shape. What was prepared from
  /// the variable is made again at the next step.
  Status setVariable(std::string_view name, const TensorView &value);
  /// Copies the value into `bytes`, which must have its size. With several
  /// ranks a value that changes, or was restored, is on those whose partitions
  /// use it.
  Status getVariable(std::string_view name, std::span<std::byte> bytes);

  /// From now on `observer` is told of each step, until it is gone. Costs a
  /// step nothing when there is none. With several ranks one that is added
  /// after the first step may be shown what steps show up to 16 steps later.
  Status addObserver(std::weak_ptr<StepObserver> observer,
                     OnObserverError onError = OnObserverError::SwitchOff);

  std::vector<EntrySignature> entries() const;
  std::vector<VariableSignature> variables() const;
  /// Of the devices of this rank.
  std::vector<DeviceMemory> memory() const;
  /// Of the stages of this rank.
  std::vector<StageTime> stageTimes() const;
  /// Since the Session was opened, of the devices of this rank that count.
  /// Since 0.1.
  std::vector<KernelWork> kernelWork() const;
  LoadTime loadTime() const;
  /// Which of how many ranks it is. Since 0.1.
  uint32_t rank() const;
  uint32_t rankCount() const;

  /// For what works on a Session: checkpoints, hooks. The object stays where it
  /// is when the Session is moved.
  operator SessionCore &() { return *core; }

private:
  explicit Session(std::unique_ptr<SessionCore> core);
  std::unique_ptr<SessionCore> core;
};

} // namespace smp

#endif // SMP_RUNTIME_SESSION_H
