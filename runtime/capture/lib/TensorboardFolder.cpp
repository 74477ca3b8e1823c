// SPDX-License-Identifier: Apache-2.0
#include "TensorboardFolder.h"
#include "FolderFiles.h"
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace smp {

namespace fs = std::filesystem;

constexpr std::string_view kEnd = ".tfevents";
/// Of a file that is not complete yet: readers pass over its name.
constexpr std::string_view kPart = ".part";

static std::string thisProcess() {
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0)
    std::strcpy(host, "localhost");
  return "_" + std::to_string(::getpid()) + "_" + host;
}

TensorboardFolder::TensorboardFolder(const std::string &path, FileSystem &files)
    : path(absolutePath(path)), files(&files), ending(thisProcess()) {}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

StatusOr<TensorboardFolder> TensorboardFolder::open(const std::string &path,
                                                    bool resume,
                                                    FileSystem &files) {
  if (path.starts_with("s3://"))
    return invalidArgument("the TensorBoard folder '" + path +
                           "' is in S3; smp writes folders of this machine");
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0)
    error.assign(errno, std::generic_category());
  if (error)
    return unavailable("cannot write the TensorBoard folder '" + path +
                       "': " + error.message());
  TensorboardFolder folder(path, files);
  SMP_RETURN_IF_ERROR(folder.findEarlier(resume));
  return folder;
}

Status TensorboardFolder::findEarlier(bool resume) {
  for (const ModeName &mode : kModeNames) {
    const std::string run = path + "/" + std::string(mode.event);
    std::vector<std::string> names;
    const int error = files->list(run, names);
    if (error && error != ENOENT)
      return unavailable("cannot list '" + run + "': " + std::strerror(error));
    if (!names.empty() && !resume)
      return failedPrecondition(
          "the TensorBoard folder '" + path + "' has '" +
          std::string(mode.event) +
          "' of another run; choose another, or resume that run");
    for (const std::string &name : names) {
      uint64_t step = 0;
      const auto [end, wrong] =
          std::from_chars(name.data(), name.data() + name.size(), step);
      if (wrong == std::errc() && *end == '_' &&
          (name.ends_with(kEnd) || name.find(kPart) != name.npos))
        earlier.emplace(step, run + "/" + name);
    }
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::vector<std::byte> TensorboardFolder::headOf(const EventStep &step) {
  std::vector<std::byte> head;
  appendTensorboardVersion(step.wallTime, head);
  auto &start = starts[size_t(step.mode) - 1];
  if (!start)
    start = step.step;
  if (*start == step.step) // Its file may be made again.
    appendSessionStart(step.wallTime, step.step, head);
  return head;
}

StatusOr<uint64_t>
TensorboardFolder::writeStep(const TensorboardEvents &events) {
  const EventStep &step = events.step();
  const std::string run = path + "/" + std::string(toEventMode(step.mode));
  const std::string file = run + "/" + paddedNumber(step.step, 12) + ending;
  std::vector<std::byte> bytes = headOf(step);
  bytes.insert(bytes.end(), events.all().begin(), events.all().end());
  const std::string part = file + std::string(kPart),
                    whole = file + std::string(kEnd);
  SMP_RETURN_IF_ERROR(writeWithFolders(part, bytes, *files));
  int error = files->rename(part, whole);
  error = error ? error : files->syncFolder(run);
  if (error)
    return unavailable("cannot write '" + whole + "': " + std::strerror(error));
  SMP_RETURN_IF_ERROR(removeEarlier(step.step));
  return bytes.size();
}

Status TensorboardFolder::removeEarlier(uint64_t step) {
  const auto [first, last] = earlier.equal_range(step);
  for (auto each = first; each != last; ++each)
    if (!each->second.ends_with(ending + std::string(kEnd)))
      if (const int error = files->remove(each->second);
          error && error != ENOENT)
        return unavailable("cannot remove '" + each->second +
                           "': " + std::strerror(error));
  earlier.erase(first, last);
  return Status();
}

} // namespace smp
