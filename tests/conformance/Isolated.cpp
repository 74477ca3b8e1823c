// SPDX-License-Identifier: Apache-2.0
#include "Isolated.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace smp::conformance {

namespace {
/// A process that works on one piece.
struct Worker {
  size_t piece;
  pid_t process;
  std::string result;
};
} // namespace

static void writeAll(int descriptor, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t written = write(descriptor, &text[done], text.size() - done);
    if (written < 0 && errno != EINTR)
      _exit(1);
    done += size_t(std::max<ssize_t>(written, 0));
  }
}

/// Starts the worker; its result comes through the descriptor that is returned.
static int start(Worker &worker, unsigned seconds,
                 const std::function<std::string(size_t)> &work) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  worker.process = fork();
  if (worker.process == 0) {
    close(ends[0]);
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    writeAll(ends[1], work(worker.piece));
    _exit(0);
  }
  close(ends[1]);
  if (worker.process > 0)
    return ends[0];
  close(ends[0]);
  return -1;
}

/// How the worker ended, once its pipe has.
static std::string finish(Worker &worker) {
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM
               ? "CRASHED: ran out of time"
               : std::string("CRASHED: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return "CRASHED: exit status " + std::to_string(WEXITSTATUS(status));
  return std::move(worker.result);
}

void runIsolated(size_t count, unsigned jobs, unsigned seconds,
                 const std::function<std::string(size_t)> &work,
                 const std::function<void(size_t, std::string)> &done) {
  std::map<int, Worker> workers; // By the end of the pipe that we read.
  size_t next = 0;
  while (next < count || !workers.empty()) {
    while (next < count && workers.size() < jobs) {
      Worker worker{next++, -1, {}};
      int descriptor = start(worker, seconds, work);
      if (descriptor < 0)
        done(worker.piece,
             std::string("cannot start a process: ") + strerror(errno));
      else
        workers.emplace(descriptor, std::move(worker));
    }
    std::vector<pollfd> waiting;
    for (const auto &[descriptor, worker] : workers)
      waiting.push_back({descriptor, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), -1) <= 0)
      continue;
    for (const pollfd &ready : waiting) {
      if (!ready.revents)
        continue;
      char buffer[4096];
      ssize_t size = read(ready.fd, buffer, sizeof(buffer));
      auto found = workers.find(ready.fd);
      if (size > 0) {
        found->second.result.append(buffer, size_t(size));
      } else if (size == 0 || errno != EINTR) {
        close(ready.fd);
        done(found->second.piece, finish(found->second));
        workers.erase(found);
      }
    }
  }
}

} // namespace smp::conformance
