// SPDX-License-Identifier: Apache-2.0
#include "Errors.h"
#include "OpenSession.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace smp;
using namespace smp::python;

namespace {

/// The object of Python. Nothing is waited for when it is deleted: each save is
/// over when its call is.
struct PyManager {
  std::shared_ptr<OpenSession> open;
  std::shared_ptr<HeldManager> held;

  /// Calls `work` when nobody else uses the Session.
  template <typename Work>
  auto with(Work &&work) const {
    Use use(open);
    return use.unlocked([&](Session &) { return work(**held); });
  }
};

} // namespace

static PyManager openManager(const std::shared_ptr<OpenSession> &open,
                             nb::handle directory,
                             std::optional<int64_t> maxToKeep,
                             nb::handle name) {
  Use use(open);
  CheckpointManagerOptions options;
  options.directory = pathOf(directory);
  options.maxToKeep = maxToKeep;
  options.checkpointName = pathOf(name);
  options.log = LogLines::into(open->lines);
  auto held = use.unlocked([&](Session &session) {
    return std::make_shared<HeldManager>(
        std::in_place, static_cast<SessionCore &>(session), options);
  });
  check((*held)->status());
  open->managers.push_back(held);
  return {open, std::move(held)};
}

void smp::python::addCheckpoints(nb::module_ &module) {
  nb::class_<PyManager>(
      module, "CheckpointManager",
      "Checkpoints of a Session in a folder: numbered, complete or not there,\n"
      "the latest found again, old ones deleted. It is of no use when the\n"
      "Session is closed.")
      .def(
          "__init__",
          [](PyManager *self, const PySession &session, nb::handle directory,
             std::optional<int64_t> maxToKeep, nb::handle name) {
            new (self) PyManager(
                openManager(session.open, directory, maxToKeep, name));
          },
          "session"_a, "directory"_a, nb::kw_only(),
          "max_to_keep"_a = nb::none(), "checkpoint_name"_a = "ckpt",
          nb::sig("def __init__(self, session: Session, directory: str | "
                  "os.PathLike[str], *, max_to_keep: int | None = None, "
                  "checkpoint_name: str = 'ckpt') -> None"))
      .def(
          "save",
          [](const PyManager &self) {
            return textOfPath(check(self.with(
                [](CheckpointManager &manager) { return manager.save(); })));
          },
          "Writes the next checkpoint, which lasts when this returns, and "
          "gives its\npath.")
      .def(
          "restore",
          [](const PyManager &self, nb::handle name) {
            RestoreOptions options;
            options.name = pathOf(name);
            const RestoreReport report =
                check(self.with([&](CheckpointManager &manager) {
                  return manager.restore(options);
                }));
            return report ? std::optional(textOfPath(report.path))
                          : std::nullopt;
          },
          "name"_a = "",
          nb::sig("def restore(self, name: str | os.PathLike[str] = '') -> str "
                  "| None"),
          "Sets everything to a checkpoint, default the latest, and gives its "
          "path; None,\nand nothing is set, when there is none.")
      .def_prop_ro(
          "latest",
          [](const PyManager &self) {
            const std::string path = self.with(
                [](CheckpointManager &manager) { return manager.latest(); });
            return path.empty() ? std::nullopt
                                : std::optional(textOfPath(path));
          },
          nb::sig("def latest(self) -> str | None"),
          "The path of the latest checkpoint.")
      .def_prop_ro(
          "checkpoints",
          [](const PyManager &self) {
            nb::list paths;
            for (const std::string &path :
                 self.with([](CheckpointManager &manager) {
                   return manager.checkpoints();
                 }))
              paths.append(textOfPath(path));
            return paths;
          },
          nb::sig("def checkpoints(self) -> list[str]"),
          "Paths of those that it keeps, oldest first.");
}
