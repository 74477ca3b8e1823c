// SPDX-License-Identifier: Apache-2.0
#include "FolderWatch.h"
#include <algorithm>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace smp {

/// How long nobody looks where no event comes.
static constexpr std::chrono::milliseconds kLookAnyway{1000};

FolderWatch::FolderWatch() : queue(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FolderWatch::~FolderWatch() {
  if (queue >= 0)
    close(queue);
}

void FolderWatch::add(const std::string &folder) {
  if (!watched.contains(folder) &&
      inotify_add_watch(queue, folder.c_str(),
                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) >= 0)
    watched.insert(folder);
}

bool FolderWatch::wait(std::chrono::milliseconds limit) {
  // A negative descriptor is passed over: poll() then only waits.
  pollfd events{queue, POLLIN, 0};
  const auto wait =
      std::clamp(limit, std::chrono::milliseconds(0), kLookAnyway);
  if (poll(&events, 1, int(wait.count())) <= 0)
    return false;
  alignas(inotify_event) char taken[4096];
  while (read(queue, taken, sizeof(taken)) > 0)
    ;
  return true;
}

} // namespace smp
