// SPDX-License-Identifier: Apache-2.0
#include "CaptureFolder.h"
#include "FolderFiles.h"
#include "smp/base/AtomicFile.h"
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace smp {

namespace fs = std::filesystem;

constexpr const char *kEnd = "training_job_end.ts";
constexpr const char *kClaim = "claim.smd";
// Of several workers, those that write nothing more.
constexpr const char *kEnded = "ended/";
constexpr uint64_t kStepsPerIndexFolder = 1000;

std::string CaptureFolder::stepFile(uint64_t step,
                                    std::string_view suffix) const {
  return "/" + paddedNumber(step, 12) + "_" + worker.name() +
         std::string(suffix);
}

std::string CaptureFolder::eventsFile(uint64_t step) const {
  return "events/" + paddedNumber(step, 12) + stepFile(step, ".tfevents");
}

std::string CaptureFolder::indexFile(uint64_t step) const {
  return "index/" + paddedNumber(step / kStepsPerIndexFolder, 9) +
         stepFile(step, ".json");
}

std::string CaptureFolder::collectionsFile() const {
  return "collections/000000000/" + worker.name() + "_collections.json";
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// What readers make of the path.
static Status checkPath(const std::string &path) {
  if (path.starts_with("s3://"))
    return invalidArgument("the folder '" + path +
                           "' is in S3; smp writes folders of this machine");
  const std::string whole = fs::path(absolutePath(path)).lexically_normal();
  if (whole.find("__") != whole.npos)
    return invalidArgument("the folder '" + whole +
                           "' has '__' in its path, where readers take the "
                           "names of workers for those of devices; choose "
                           "another");
  return Status();
}

StatusOr<CaptureFolder> CaptureFolder::open(const std::string &path,
                                            bool resume,
                                            const CaptureWorker &worker,
                                            FileSystem &files) {
  SMP_RETURN_IF_ERROR(checkPath(path));
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return unavailable("cannot make the folder '" + path +
                       "': " + error.message());
  CaptureFolder folder(path, worker, files);
  SMP_RETURN_IF_ERROR(folder.checkUnused(resume));
  if (worker.count == 1)
    SMP_RETURN_IF_ERROR(folder.claim());
  SMP_RETURN_IF_ERROR(folder.takeBackEnd());
  SMP_RETURN_IF_ERROR(folder.removeLeftovers());
  return folder;
}

/// Whether the file is called after the worker, and not after one of a longer
/// number.
static bool isOfWorker(std::string_view file, std::string_view worker) {
  const size_t at = file.find(worker);
  return at != file.npos && !std::isdigit(static_cast<unsigned char>(
                                (std::string(file) + ".")[at + worker.size()]));
}

/// The job goes on.
Status CaptureFolder::takeBackEnd() const {
  for (const std::string &file : {kEnded + worker.name(), std::string(kEnd)}) {
    std::error_code error;
    fs::remove(path + "/" + file, error);
    if (error)
      return unavailable("cannot remove '" + path + "/" + file +
                         "': " + error.message());
  }
  return Status();
}

Status CaptureFolder::checkUnused(bool resume) const {
  if (resume)
    return Status();
  std::error_code ignored;
  if (fs::exists(path + "/" + kEnd, ignored))
    return failedPrecondition("the folder '" + path +
                              "' is of a job that is over ('" + kEnd +
                              "' is there); choose another, or resume the job");
  // Of several workers the others may be here already.
  std::vector<std::string> parts{collectionsFile()};
  if (worker.count == 1)
    parts = {"collections", "events", "index"};
  for (const std::string &part : parts)
    if (fs::exists(path + "/" + part, ignored))
      return failedPrecondition("the folder '" + path + "' has '" + part +
                                "' of another run; choose another, or resume "
                                "that run");
  return Status();
}

Status CaptureFolder::claim() {
  std::string holder;
  const std::string file = path + "/" + kClaim;
  const int error = files->lock(file, lock, holder);
  if (error == EBUSY)
    return failedPrecondition("the folder '" + path + "' is written by " +
                              holder +
                              "; one process writes a folder, unless "
                              "include_workers is 'all' ranks of a run");
  return error ? unavailable("cannot lock '" + file +
                             "': " + std::strerror(error))
               : Status();
}

/// What a run that was killed had begun to write, as this worker.
Status CaptureFolder::removeLeftovers() const {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::recursive_directory_iterator at(path, error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const std::string target(targetOfTemporary(name));
    if (target.empty())
      continue;
    if (worker.count == 1 || isOfWorker(target, worker.name()))
      leftovers.push_back(at->path());
  }
  for (const fs::path &file : leftovers)
    if (!error)
      fs::remove(file, error);
  return error
             ? unavailable("cannot remove from '" + path +
                           "' what another run left behind: " + error.message())
             : Status();
}

CaptureFolder::~CaptureFolder() {
  // Still held: nobody else can have claimed it.
  if (lock && mark.isHere())
    (void)files->remove(path + "/" + kClaim);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Status CaptureFolder::write(const std::string &file,
                            std::span<const std::byte> bytes) const {
  return writeWithFolders(path + "/" + file, bytes, *files);
}

Status CaptureFolder::writeCollections(const std::string &text) const {
  return write(collectionsFile(), std::as_bytes(std::span(text)));
}

StatusOr<uint64_t> CaptureFolder::writeStep(const StepRecords &records) const {
  const std::string events = eventsFile(records.step().step);
  if (!records.events().empty())
    SMP_RETURN_IF_ERROR(write(events, records.events()));
  const std::string index = records.index(events);
  SMP_RETURN_IF_ERROR(
      write(indexFile(records.step().step), std::as_bytes(std::span(index))));
  return records.events().size() + index.size();
}

Status CaptureFolder::writeEnd() const {
  if (worker.count > 1)
    SMP_RETURN_IF_ERROR(makeMark(path + "/" + kEnded + worker.name(), *files));
  for (uint32_t i = 0; worker.count > 1 && i < worker.count; ++i) {
    std::error_code ignored;
    const std::string name = CaptureWorker{i}.name();
    if (!fs::exists(path + "/" + kEnded + name, ignored))
      return Status();
  }
  return makeMark(path + "/" + kEnd, *files);
}

} // namespace smp
