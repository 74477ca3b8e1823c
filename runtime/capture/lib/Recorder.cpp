// SPDX-License-Identifier: Apache-2.0
#include "Recorder.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/capture/CaptureChoice.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace smp {

static double secondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Recorder::Recorder(HookConfig config, HookOptions options, FileSystem &files)
    : options(std::move(options)), files(files), config(std::move(config)) {}

Recorder::~Recorder() {
  if (!writer || writer->isOfThisProcess())
    (void)close();
}

//===----------------------------------------------------------------------===//
// What is captured
//===----------------------------------------------------------------------===//

static CollectionConfig &collectionOf(HookConfig &config,
                                      std::string_view name) {
  auto &all = config.collections;
  const auto found = std::ranges::find(all, name, &CollectionConfig::name);
  if (found != all.end())
    return *found;
  return all.emplace_back(CollectionConfig{.name = std::string(name)});
}

CollectionConfig &Recorder::collection(std::string_view name) {
  std::lock_guard<std::mutex> hold(lock);
  return collectionOf(config, name);
}

Status Recorder::addToCollection(std::string_view collection,
                                 std::string_view output) {
  std::lock_guard<std::mutex> hold(lock);
  HookConfig wanted = config;
  collectionOf(wanted, collection).tensorNames.emplace_back(output);
  if (plan.capture) {
    SMP_RETURN_IF_ERROR(checkOutput(output));
    SMP_RETURN_IF_ERROR(prepareCapture(wanted, given));
  }
  config = std::move(wanted);
  watched.try_emplace(std::string(output), options.keepValues,
                      options.bufferBytes);
  return Status();
}

Status Recorder::checkOutput(std::string_view output) const {
  const std::string name(output);
  if (tensors.outputs.contains(name) || tensors.taps.contains(name))
    return Status();
  const std::string shown =
      tensors.taps.empty()
          ? ""
          : ", and shows " + std::to_string(tensors.taps.size()) + " more";
  return invalidArgument("the hook is to watch " + quote(output) +
                         ", which the program neither gives nor shows; it "
                         "gives " +
                         listNames(tensors.outputs) + shown + kHowToShow);
}

Status Recorder::prepare(const std::vector<EntrySignature> &entries,
                         const CaptureWorker &rank) {
  std::lock_guard<std::mutex> hold(lock);
  if (plan.capture || isClosed)
    return failedPrecondition("the hook is attached to a Session, or closed; "
                              "every Session needs a hook of its own");
  tensors = ProgramTensors::of(entries);
  isGathering = config.includeWorkers != "all";
  isWorker = !isGathering || rank.number == 0;
  worker = isGathering ? CaptureWorker() : rank;
  modes.clear();
  for (const EntrySignature &entry : entries)
    if (const auto mode = parseMode(entry.mode))
      modes.insert(*mode);
  for (const auto &[output, values] : watched)
    SMP_RETURN_IF_ERROR(checkOutput(output));
  SMP_RETURN_IF_ERROR(checkMode(steps.mode()));
  SMP_RETURN_IF_ERROR(prepareCapture(config, {}));
  if (!isWorker) {
    say(LogLevel::Info, "the hook of rank " + std::to_string(rank.number) +
                            " writes nothing: rank 0 writes what all ranks "
                            "show, where include_workers is not 'all'");
    return Status();
  }
  sayUnfilled();
  if (!config.s3Path.empty())
    say(LogLevel::Warning, "'" + config.s3Path +
                               "' is not written: smp uploads nothing; copy '" +
                               config.outDir + "' there");
  return Status();
}

/// Captures as `wanted` says from now on, or as before when that fails.
Status Recorder::prepareCapture(const HookConfig &wanted,
                                std::span<const GivenTensor> others) {
  SMP_ASSIGN_OR_RETURN(StepCapture prepared,
                       StepCapture::prepare(wanted, tensors, others));
  for (const auto &[entry, count] : microbatches)
    prepared.nameMicrobatches(tensors, entry, count);
  std::string collections = prepared.collectionsFile(worker.count);
  if (!writer && isWorker && !wanted.outDir.empty() && !wanted.dryRun)
    SMP_RETURN_IF_ERROR(openFolder(wanted, collections));
  std::lock_guard<std::mutex> hold(plan.lock);
  if (plan.capture &&
      collections != plan.capture->collectionsFile(worker.count))
    plan.collections = std::move(collections);
  plan.capture.emplace(std::move(prepared));
  return Status();
}

static std::string tensorboardFolder(const HookConfig &config,
                                     const CaptureWorker &worker) {
  const std::string folder = config.tensorboardDir.empty()
                                 ? config.outDir + "/tensorboard"
                                 : config.tensorboardDir;
  return worker.count == 1 ? folder : folder + "/" + worker.name();
}

/// With the collections, so that who cannot write learns of it at once.
Status Recorder::openFolder(const HookConfig &wanted,
                            const std::string &collections) {
  SMP_ASSIGN_OR_RETURN(
      CaptureFolder folder,
      CaptureFolder::open(wanted.outDir, options.resume, worker, files));
  StepWriter::Folders folders{std::move(folder), {}};
  if (exportsTensorboard(wanted)) {
    SMP_ASSIGN_OR_RETURN(
        folders.tensorboard,
        TensorboardFolder::open(tensorboardFolder(wanted, worker),
                                options.resume, files));
  }
  SMP_RETURN_IF_ERROR(folders.capture.writeCollections(collections));
  SMP_ASSIGN_OR_RETURN(
      writer, StepWriter::start(std::move(folders), options.bufferBytes, plan));
  return Status();
}

void Recorder::detach() {
  std::lock_guard<std::mutex> hold(lock);
  writer.reset();
  plan.capture.reset();
}

/// Of collections that stay empty, since the program shows nothing of theirs.
void Recorder::sayUnfilled() const {
  if (const auto names = plan.capture->unfilled(); !names.empty())
    say(LogLevel::Warning, "the program shows nothing that is in " +
                               listNames(names) + kHowToShow);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

StepView Recorder::wants(const UpcomingStep &step) {
  std::lock_guard<std::mutex> hold(lock);
  if (!plan.capture || !isWorker)
    return StepView::Outputs;
  const auto [mode, modeStep] = steps.next(step);
  return plan.capture->wants(mode, modeStep);
}

Status Recorder::onStep(const CompletedStep &step) {
  std::lock_guard<std::mutex> hold(lock);
  if (!plan.capture)
    return Status();
  SMP_ASSIGN_OR_RETURN(last, steps.number(step, secondsSince1970()));
  ++made[size_t(last->mode) - 1];
  if (config.microbatchesApart && step.microbatches > 1)
    nameMicrobatches(step);
  SMP_RETURN_IF_ERROR(pick(step));
  if (!writer)
    return Status();
  writer->steps().give();
  SMP_RETURN_IF_ERROR(writer->failure());
  isLastLeftOut = false;
  if (!picked.empty() || isForOthers(step))
    send();
  for (const Scalar &scalar : early)
    sendScalar(scalar.tensor, scalar.value, scalar.smMetric);
  early.clear();
  return Status();
}

bool Recorder::gathers() const { return isGathering; }

Status Recorder::onSnapshot() {
  std::lock_guard<std::mutex> hold(lock);
  return writer ? writer->flush() : Status();
}

Status Recorder::close() {
  std::lock_guard<std::mutex> hold(lock);
  Status status;
  if (writer && !isClosed) {
    status = writer->close(!std::getenv("TRAINING_JOB_NAME"));
    if (plan.capture)
      sayReport();
  }
  plan.capture.reset();
  isClosed = true;
  return status;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

HookReport Recorder::report() const {
  std::lock_guard<std::mutex> hold(lock);
  HookReport counts = writer ? writer->report() : HookReport();
  counts.leftOut = leftOut;
  counts.summary = summary;
  return counts;
}

Mode Recorder::mode() const {
  std::lock_guard<std::mutex> hold(lock);
  return steps.mode() == Mode::Global && last ? last->mode : steps.mode();
}

std::vector<CapturedValue> Recorder::values(std::string_view output) const {
  std::lock_guard<std::mutex> hold(lock);
  const auto found = watched.find(output);
  return found == watched.end() ? std::vector<CapturedValue>()
                                : found->second.all();
}

} // namespace smp
