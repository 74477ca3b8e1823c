// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/NamedFiles.h"
#include "smp/base/OutputPath.h"
#include <algorithm>
#include <filesystem>

namespace smp {

namespace fs = std::filesystem;

/// Files that are not there yet have no identity but their path.
static bool isSame(const std::string &one, const std::string &other) {
  std::error_code error;
  if (fs::equivalent(one, other, error))
    return true;
  const fs::path here = fs::weakly_canonical(fs::absolute(one, error), error);
  return !error &&
         here == fs::weakly_canonical(fs::absolute(other, error), error) &&
         !error;
}

void NamedFiles::reads(const std::string &path) {
  if (!path.empty())
    read.push_back(path);
}

void NamedFiles::reads(const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    reads(path);
}

void NamedFiles::writes(const std::string &who, const std::string &path) {
  if (path.empty() || path == "-")
    return;
  // What cannot be written is told by whoever tries.
  if (auto output = OutputPath::follow(path);
      output.ok() && !output->isSpecial())
    written.push_back({who, path, output->target()});
}

Status NamedFiles::check() const {
  for (size_t i = 0; i < written.size(); ++i) {
    const auto &[who, path, target] = written[i];
    for (const std::string &other : read)
      if (isSame(other, target))
        return invalidArgument(who + " would replace '" + other +
                               "', which is read; name another file");
    for (size_t j = 0; j < i; ++j)
      if (isSame(written[j].target, target))
        return invalidArgument(who + " would replace '" + written[j].path +
                               "', which " + written[j].who +
                               " writes; name another file");
  }
  return Status();
}

bool NamedFiles::has(const std::string &path) const {
  auto isThat = [&](const std::string &other) { return isSame(path, other); };
  return std::ranges::any_of(read, isThat) ||
         std::ranges::any_of(written, isThat, &Written::target);
}

} // namespace smp
