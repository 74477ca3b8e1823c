// SPDX-License-Identifier: Apache-2.0
#include "CaptureFolder.h"
#include "FolderFiles.h"
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace smp {

namespace fs = std::filesystem;

// Ranks are put together elsewhere: who writes is the first.
constexpr std::string_view kWorker = "worker_0";
constexpr const char *kCollections =
    "collections/000000000/worker_0_collections.json";
constexpr const char *kEnd = "training_job_end.ts";
constexpr const char *kClaim = "claim.smd";
constexpr uint64_t kStepsPerIndexFolder = 1000;

static std::string stepFile(uint64_t step, std::string_view suffix) {
  return "/" + paddedNumber(step, 12) + "_" + std::string(kWorker) +
         std::string(suffix);
}

static std::string eventsFile(uint64_t step) {
  return "events/" + paddedNumber(step, 12) + stepFile(step, ".tfevents");
}

static std::string indexFile(uint64_t step) {
  return "index/" + paddedNumber(step / kStepsPerIndexFolder, 9) +
         stepFile(step, ".json");
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// What readers make of the path.
static Status checkPath(const std::string &path) {
  if (path.starts_with("s3://"))
    return invalidArgument("the folder '" + path +
                           "' is in S3; smp writes folders of this machine");
  std::error_code error;
  const std::string whole = fs::absolute(path, error).lexically_normal();
  if (whole.find("__") != whole.npos)
    return invalidArgument("the folder '" + whole +
                           "' has '__' in its path, where readers take the "
                           "names of workers for those of devices; choose "
                           "another");
  return Status();
}

StatusOr<CaptureFolder> CaptureFolder::open(const std::string &path,
                                            bool resume, FileSystem &files) {
  SMP_RETURN_IF_ERROR(checkPath(path));
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return unavailable("cannot make the folder '" + path +
                       "': " + error.message());
  CaptureFolder folder(path, files);
  SMP_RETURN_IF_ERROR(folder.checkUnused(resume));
  SMP_RETURN_IF_ERROR(folder.claim());
  fs::remove(path + "/" + kEnd, error);
  if (error)
    return unavailable("cannot remove '" + path + "/" + kEnd +
                       "': " + error.message());
  return folder;
}

Status CaptureFolder::checkUnused(bool resume) const {
  if (resume)
    return Status();
  std::error_code ignored;
  if (fs::exists(path + "/" + kEnd, ignored))
    return failedPrecondition("the folder '" + path +
                              "' is of a job that is over ('" + kEnd +
                              "' is there); choose another, or resume the job");
  for (const char *part : {"collections", "events", "index"})
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
                              holder + "; one process writes a folder");
  return error ? unavailable("cannot lock '" + file +
                             "': " + std::strerror(error))
               : Status();
}

CaptureFolder::~CaptureFolder() {
  // Still held: nobody else can have claimed it.
  if (lock && forks == forkGeneration())
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
  return write(kCollections, std::as_bytes(std::span(text)));
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

Status CaptureFolder::writeEnd() const { return write(kEnd, {}); }

} // namespace smp
