// SPDX-License-Identifier: Apache-2.0
// The disk, with a gate that a test opens, and one error that it can have.

#ifndef SMP_TESTS_UNIT_CAPTURE_GATEDDISK_H
#define SMP_TESTS_UNIT_CAPTURE_GATEDDISK_H

#include "smp/base/FileSystem.h"
#include <condition_variable>
#include <mutex>

namespace smp::test {

/// Files of steps are made when the gate is open; those of the collections
/// always.
class GatedDisk : public FileSystem {
public:
  void shutGate() { set(/*open=*/false); }
  void openGate() { set(/*open=*/true); }
  /// Until somebody waits before the gate.
  void awaitSomebody() {
    std::unique_lock<std::mutex> hold(mutex);
    changed.wait(hold, [&] { return waiting > 0; });
  }
  /// From now on files cannot be made, with this number of errno; 0: they can.
  void failWith(int number) {
    std::lock_guard<std::mutex> hold(mutex);
    error = number;
  }

  StatusOr<OutputPath> follow(const std::string &path) override {
    return disk().follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    if (path.find("/collections/") == path.npos)
      if (const int failed = pass())
        return failed;
    return disk().make(path, old, file);
  }
  int rename(const std::string &from, const std::string &to) override {
    return disk().rename(from, to);
  }
  int makeFolder(const std::string &path) override {
    return disk().makeFolder(path);
  }
  int syncFolder(const std::string &path) override {
    return disk().syncFolder(path);
  }
  int remove(const std::string &path) override { return disk().remove(path); }
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return disk().lock(path, lock, holder);
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return disk().list(folder, names);
  }
  int size(const std::string &path, uint64_t &bytes) override {
    return disk().size(path, bytes);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    return disk().read(path);
  }

private:
  void set(bool open) {
    std::lock_guard<std::mutex> hold(mutex);
    isOpen = open;
    changed.notify_all();
  }
  int pass() {
    std::unique_lock<std::mutex> hold(mutex);
    ++waiting;
    changed.notify_all();
    changed.wait(hold, [&] { return isOpen; });
    --waiting;
    return error;
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = true;
  int waiting = 0, error = 0;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CAPTURE_GATEDDISK_H
