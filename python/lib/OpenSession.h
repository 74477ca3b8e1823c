// SPDX-License-Identifier: Apache-2.0
// The Session behind an object of Python, and who uses it.

#ifndef SMP_PYTHON_OPENSESSION_H
#define SMP_PYTHON_OPENSESSION_H

#include "Arrays.h"
#include "LogLines.h"
#include "Unlocked.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/runtime/Session.h"
#include <optional>

namespace smp::python {

/// None when its Session is closed.
using HeldManager = std::optional<CheckpointManager>;

/// Read and changed by who holds the interpreter's lock, but for the Session's
/// own work.
struct OpenSession {
  OpenSession() = default;
  OpenSession(const OpenSession &) = delete;
  OpenSession &operator=(const OpenSession &) = delete;
  /// close(), and what a handler of Python's logging raises goes to
  /// sys.unraisablehook.
  ~OpenSession();
  /// Ends the Session and its managers without the interpreter's lock, as a
  /// kernel may still run, then lets go of arrays and tells Python's logging
  /// what was said. Nobody may be using it.
  void close();

  std::shared_ptr<LogLines> lines = std::make_shared<LogLines>();
  /// Of steps that ended by their deadline: a kernel may still use them.
  std::vector<ReadArray> keptInputs;
  std::vector<WrittenArray> keptOutputs;
  std::vector<EntrySignature> entries;
  std::vector<VariableSignature> variables;
  /// None after close().
  std::optional<Session> session;
  /// Of the Session; those that are gone stay as null.
  std::vector<std::weak_ptr<HeldManager>> managers;
  bool isBusy = false;
};

/// The object of Python.
struct PySession {
  std::shared_ptr<OpenSession> open;
};

/// One call that uses the Session. Throws when it is closed, or another call is
/// under way: of another thread, or of one that this one has called.
class Use {
public:
  explicit Use(std::shared_ptr<OpenSession> open);
  ~Use() { open->isBusy = false; }
  Use(const Use &) = delete;
  Use &operator=(const Use &) = delete;

  Session *operator->() { return &*open->session; }
  Session &operator*() { return *open->session; }
  /// Calls `work` without the interpreter's lock, then tells Python's logging
  /// what was said.
  template <typename Work>
  auto unlocked(Work &&work) {
    auto result = [&] {
      const Unlocked unlocked;
      return work(*open->session);
    }();
    open->lines->handOn();
    return result;
  }

private:
  std::shared_ptr<OpenSession> open;
};

/// A path as os.fspath() gives it, in the bytes of the file system.
std::string pathOf(nanobind::handle path);
/// The other way: as os.fsdecode() gives it.
nanobind::str textOfPath(std::string_view path);

void addPrograms(nanobind::module_ &module);
void addSessions(nanobind::module_ &module);
void addCheckpoints(nanobind::module_ &module);

/// Session.step of Python; see there.
nanobind::object step(const std::shared_ptr<OpenSession> &open,
                      std::string_view entry, nanobind::handle inputs,
                      nanobind::handle out, uint32_t microbatches,
                      const nanobind::kwargs &named);

/// {signature.name: signature}
template <typename Signature>
nanobind::dict byName(const std::vector<Signature> &signatures) {
  nanobind::dict named;
  for (const Signature &signature : signatures)
    named[nanobind::str(signature.name.data(), signature.name.size())] =
        nanobind::cast(signature);
  return named;
}

} // namespace smp::python

#endif // SMP_PYTHON_OPENSESSION_H
