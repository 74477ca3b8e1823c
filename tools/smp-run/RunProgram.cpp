// SPDX-License-Identifier: Apache-2.0
#include "RankSecret.h"
#include "RunAdvice.h"
#include "RunStats.h"
#include "RunTensors.h"
#include "TraceFile.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Lists.h"
#include "smp/capture/Hook.h"
#include "smp/runtime/Communicators.h"
#include "smp/serialization/CostsFile.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/Output.h"
#include "smp/tools/ProfileProgram.h"
#include "smp/tools/Progress.h"
#include <chrono>
#include <filesystem>

namespace smp {

using Clock = std::chrono::steady_clock;

static StatusOr<EntrySignature>
chooseEntry(const std::vector<EntrySignature> &entries,
            const std::string &wanted) {
  for (const EntrySignature &entry : entries)
    if (entry.name == wanted || (wanted.empty() && entries.size() == 1))
      return entry;
  if (wanted.empty())
    for (const EntrySignature &entry : entries)
      if (entry.name == "predict")
        return entry;
  const std::string names = listNames(entries, &EntrySignature::name);
  return invalidArgument(
      wanted.empty()
          ? "the program has entries " + names + "; choose one with --entry"
          : "the program has no entry '" + wanted + "'; it has " + names);
}

namespace {

class Runner {
public:
  explicit Runner(const RunOptions &options) : options(options) {}
  StatusOr<bool> run();

private:
  /// How many steps are made before those that are timed.
  uint32_t warmups() const { return options.repeat > 1 ? 1 : 0; }
  uint32_t stepCount() const {
    return std::max(options.repeat, 1u) + warmups();
  }
  Status connect(const SharedProgram &program);
  Status withHint(const Status &status) const;
  StatusOr<bool> runHere(const SharedProgram &program);
  SessionOptions sessionOptions();
  StatusOr<std::optional<Hook>> attachHook(Session &session) const;
  LogSink log() const;
  Status profile(const SharedProgram &program, const EntrySignature &entry,
                 const NamedTensors &inputs);
  StatusOr<StepOutput> repeat(Session &session, const EntrySignature &entry,
                              const NamedTensors &inputs);
  Status evaluateReference(const EntrySignature &entry,
                           const NamedTensors &inputs);
  Status report(Session &session, const EntrySignature &entry);

  const RunOptions &options;
  std::unique_ptr<Communicator> communicator; // Null: one rank.
  TraceFile trace;
  RunStats stats;
};

} // namespace

Status Runner::connect(const SharedProgram &program) {
  if (options.ranks == 1)
    return Status();
  SocketOptions sockets{options.rank, options.ranks, options.address,
                        options.deadlineSeconds};
  sockets.program = program.fingerprint();
  sockets.programName = options.program;
  sockets.allowNoSecret = options.noSecret;
  sockets.log = [](LogLevel, std::string_view line) {
    std::fprintf(stderr, "smp-run: %.*s\n", int(line.size()), line.data());
  };
  if (!options.noSecret) {
    SMP_ASSIGN_OR_RETURN(sockets.secret, readRankSecret(options.secretFile));
  }
  auto connected = createSocketCommunicator(sockets);
  if (!connected.ok())
    return withHint(connected.status());
  communicator = connected.take();
  return Status();
}

/// Says how to give the secret that the runtime misses.
Status Runner::withHint(const Status &status) const {
  if (status.code() != StatusCode::FailedPrecondition ||
      options.address.rfind("tcp:", 0) != 0)
    return status;
  return {status.code(), status.message() + ": --secret-file FILE or " +
                             kRankSecretName + "; or --no-secret"};
}

SessionOptions Runner::sessionOptions() {
  SessionOptions session;
  session.devices = options.devices;
  session.level = options.level;
  session.deadlineSeconds = options.deadlineSeconds;
  session.memoryLimitBytes = options.memoryLimit;
  session.communicator = communicator.get();
  if (!options.checkNumerics.empty())
    session.checkNumerics = options.checkNumerics == "all"
                                ? CheckNumerics::NanAndInf
                                : CheckNumerics::Nan;
  session.log = log();
  if (!options.trace.empty())
    session.profile = [this](std::string_view,
                             std::span<const ProfileSpan> spans) {
      trace.add(spans);
    };
  return session;
}

LogSink Runner::log() const {
  return [this](LogLevel level, std::string_view line) {
    if (options.verbose || level == LogLevel::Warning)
      std::fprintf(stderr, "smp-run: %.*s\n", int(line.size()), line.data());
  };
}

/// The one that the environment asks for.
StatusOr<std::optional<Hook>> Runner::attachHook(Session &session) const {
  HookOptions hookOptions;
  hookOptions.onError = OnObserverError::Stop;
  hookOptions.log = log();
  SMP_ASSIGN_OR_RETURN(std::optional<Hook> hook,
                       Hook::fromEnvironment(std::move(hookOptions)));
  if (hook)
    SMP_RETURN_IF_ERROR(hook->attach(session));
  return hook;
}

static std::vector<InputTensor> viewsOf(const NamedTensors &inputs) {
  std::vector<InputTensor> views;
  for (const auto &[name, tensor] : inputs)
    views.push_back(
        {name, {tensor.type.dtype, tensor.type.shape, tensor.bytes.data()}});
  return views;
}

/// Adds what is measured to what the file has.
Status Runner::profile(const SharedProgram &program,
                       const EntrySignature &entry,
                       const NamedTensors &inputs) {
  Costs costs;
  std::error_code ignored;
  if (std::filesystem::exists(options.profile, ignored)) {
    SMP_ASSIGN_OR_RETURN(costs, readCosts(options.profile));
  }
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(options.program));
  ProfileRequest request;
  request.devices = options.devices;
  request.entry = entry.name;
  request.microbatches = options.microbatches;
  request.steps = options.repeat ? options.repeat : request.steps;
  request.session = sessionOptions();
  request.interrupted = interrupted;
  SMP_ASSIGN_OR_RETURN(
      Costs measured,
      profileProgram(program, loaded.program(), viewsOf(inputs), request));
  if (interrupted())
    return Status();
  addCosts(costs, measured);
  return writeFile(options.profile, formatCosts(costs));
}

StatusOr<StepOutput> Runner::repeat(Session &session,
                                    const EntrySignature &entry,
                                    const NamedTensors &inputs) {
  const std::vector<InputTensor> given = viewsOf(inputs);
  const StepOptions step{options.microbatches, {}};
  Progress progress;
  StatusOr<StepOutput> output = StepOutput();
  for (uint32_t i = 0; i < stepCount(); ++i) {
    const auto start = Clock::now();
    output = session.step(entry.name, given, step);
    if (!output.ok())
      return adviseOnInputs(options, entry, output.status());
    if (i >= warmups())
      stats.seconds.push_back(
          std::chrono::duration<double>(Clock::now() - start).count());
    if (interrupted())
      break;
    progress.update(i + 1, stepCount(), "running");
  }
  if (!output->all().empty())
    stats.microbatches = output->all()[0].microbatches;
  return output;
}

Status Runner::evaluateReference(const EntrySignature &entry,
                                 const NamedTensors &inputs) {
  SMP_ASSIGN_OR_RETURN(auto program, RunnableProgram::open(options.program));
  SMP_ASSIGN_OR_RETURN(ReferenceProgram reference,
                       ReferenceProgram::open(std::move(program)));
  std::vector<ReferenceOutput> results;
  Progress progress;
  for (uint32_t i = 0; i < stepCount() && !(i && interrupted()); ++i) {
    SMP_ASSIGN_OR_RETURN(
        results, reference.step(entry.name, inputs, options.microbatches));
    progress.update(i + 1, stepCount(), "evaluating");
  }
  std::vector<OutputTensor> outputs;
  for (size_t i = 0; i < results.size(); ++i)
    outputs.push_back({entry.outputs[i].name, results[i].type.dtype,
                       results[i].type.shape, results[i].last(),
                       uint64_t(results[i].type.bytes()), results[i].batchAxis,
                       results[i].microbatches});
  return writeOutputs(options, outputs);
}

Status Runner::report(Session &session, const EntrySignature &entry) {
  const std::vector<DeviceMemory> memory = session.memory();
  if (!options.trace.empty())
    SMP_RETURN_IF_ERROR(trace.write(options.trace, memory));
  if (options.stats.empty() || stats.seconds.empty())
    return Status();
  stats.entry = entry.name;
  stats.load = session.loadTime();
  stats.memory = memory;
  for (StageTime &stage : session.stageTimes())
    if (stage.entry == entry.name)
      stats.stages.push_back(std::move(stage));
  for (KernelWork &work : session.kernelWork())
    if (work.counts.launches)
      stats.kernels.push_back(std::move(work));
  const std::string text =
      options.stats == "json" ? stats.json() : stats.text();
  return printOutput(text);
}

StatusOr<bool> Runner::runHere(const SharedProgram &program) {
  SMP_ASSIGN_OR_RETURN(EntrySignature entry,
                       chooseEntry(program.entries(), options.entry));
  SMP_RETURN_IF_ERROR(checkOutputs(options, entry));
  SMP_ASSIGN_OR_RETURN(NamedTensors inputs, loadInputs(options, entry));
  if (options.reference) {
    SMP_RETURN_IF_ERROR(evaluateReference(entry, inputs));
    return interrupted();
  }
  if (!options.profile.empty()) {
    SMP_RETURN_IF_ERROR(profile(program, entry, inputs));
    return interrupted();
  }
  SMP_RETURN_IF_ERROR(checkDevices(options));
  StatusOr<Session> opened = Session::open(program, sessionOptions());
  if (!opened.ok())
    return adviseOnLevel(options, opened.status());
  Session session = opened.take();
  SMP_ASSIGN_OR_RETURN(std::optional<Hook> hook, attachHook(session));
  SMP_ASSIGN_OR_RETURN(StepOutput output, repeat(session, entry, inputs));
  if (hook)
    SMP_RETURN_IF_ERROR(hook->close());
  SMP_RETURN_IF_ERROR(writeOutputs(options, output.all()));
  SMP_RETURN_IF_ERROR(report(session, entry));
  return interrupted();
}

StatusOr<bool> Runner::run() {
  SMP_RETURN_IF_ERROR(checkDeadline(options));
  SMP_ASSIGN_OR_RETURN(SharedProgram program,
                       SharedProgram::open(options.program));
  SMP_RETURN_IF_ERROR(checkFiles(options));
  SMP_RETURN_IF_ERROR(connect(program));
  StatusOr<bool> done = runHere(program);
  if (communicator && !done.ok()) // The others wait for nothing.
    communicator->fail(communicator->epoch() + 1, done.status());
  return done;
}

StatusOr<bool> runProgram(const RunOptions &options) {
  return Runner(options).run();
}

} // namespace smp
