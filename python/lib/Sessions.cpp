// SPDX-License-Identifier: Apache-2.0
#include "Errors.h"
#include "OpenSession.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace smp;
using namespace smp::python;

Use::Use(std::shared_ptr<OpenSession> of) : open(std::move(of)) {
  if (!open->session)
    raise(failedPrecondition("the Session is closed; open another one"));
  if (open->isBusy)
    raise(failedPrecondition("the Session is busy with another call; it does "
                             "one at a time: give each thread its own"));
  open->isBusy = true;
}

void OpenSession::close() {
  std::optional<Session> ended = std::move(session);
  session.reset();
  {
    const Unlocked unlocked;
    for (const std::weak_ptr<HeldManager> &manager : managers)
      if (const std::shared_ptr<HeldManager> held = manager.lock())
        held->reset();
    ended.reset();
  }
  keptInputs.clear();
  keptOutputs.clear();
  lines->handOn();
}

OpenSession::~OpenSession() {
  // What is deleted may be so because an exception is on its way.
  const nb::error_scope before;
  try {
    close();
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("the end of a smp.Session");
  }
}

static CheckNumerics numericsOf(std::string_view word) {
  if (word == "off")
    return CheckNumerics::Off;
  if (word == "nan")
    return CheckNumerics::Nan;
  if (word == "nan_and_inf")
    return CheckNumerics::NanAndInf;
  raise(invalidArgument("check_numerics is '" + std::string(word) +
                        "'; it is off, nan or nan_and_inf"));
}

static std::shared_ptr<OpenSession> openSession(nb::handle program,
                                                SessionOptions options) {
  auto open = std::make_shared<OpenSession>();
  options.log = LogLines::into(open->lines);
  const SharedProgram *loaded = nullptr;
  std::string path;
  if (!nb::try_cast(nb::borrow(program), loaded, false))
    path = pathOf(program);
  auto session = [&] {
    const Unlocked unlocked;
    return loaded ? Session::open(*loaded, std::move(options))
                  : Session::open(path, std::move(options));
  }();
  open->lines->handOn();
  open->session = check(std::move(session));
  open->entries = open->session->entries();
  open->variables = open->session->variables();
  return open;
}

static const VariableSignature &variableOf(const OpenSession &open,
                                           std::string_view name) {
  for (const VariableSignature &variable : open.variables)
    if (variable.name == name)
      return variable;
  raise(invalidArgument("the program has no variable '" + std::string(name) +
                        "'; Session.variables has those that there are"));
}

static nb::object getVariable(const PySession &self, std::string_view name) {
  Use use(self.open);
  const VariableSignature &variable = variableOf(*self.open, name);
  void *data = nullptr;
  nb::object made = makeArray(variable.dtype, variable.shape, data);
  size_t bytes = sizeOf(variable.dtype);
  for (const int64_t size : variable.shape)
    bytes *= size_t(size);
  check(use.unlocked([&](Session &session) {
    return session.getVariable(name, {static_cast<std::byte *>(data), bytes});
  }));
  return made;
}

static void setVariable(const PySession &self, std::string_view name,
                        nb::handle value) {
  Use use(self.open);
  const ReadArray read(value, variableOf(*self.open, name).dtype, "variable",
                       name);
  check(use.unlocked([&](Session &session) {
    return session.setVariable(name, read.view());
  }));
}

static void closeSession(const PySession &self) {
  if (!self.open->session)
    return;
  {
    const Use use(self.open);
  }
  self.open->close();
}

static Session &stillOpen(const PySession &self) {
  if (!self.open->session)
    raise(failedPrecondition("the Session is closed; open another one"));
  return *self.open->session;
}

static void addReports(nb::module_ &module) {
  nb::class_<DeviceMemory>(module, "DeviceMemory", "Memory of one device.")
      .def_ro("device", &DeviceMemory::device)
      .def_ro("kind", &DeviceMemory::kind,
              "What numbers depend on: target and level.")
      .def_ro("partition", &DeviceMemory::partition)
      .def_ro("current_bytes", &DeviceMemory::currentBytes)
      .def_ro("peak_bytes", &DeviceMemory::peakBytes)
      .def_ro("imported_bytes", &DeviceMemory::importedBytes,
              "Weights and constants used where the program is mapped.")
      .def_ro("shared_bytes", &DeviceMemory::sharedBytes,
              "Of current_bytes, what Sessions of one Program have together.");
  nb::class_<StageTime>(module, "StageTime",
                        "What a stage took, over all steps since load.")
      .def_ro("entry", &StageTime::entry)
      .def_ro("stage", &StageTime::stage)
      .def_ro("partition", &StageTime::partition)
      .def_ro("predicted_seconds", &StageTime::predictedSeconds, "Of one run.")
      .def_ro("measured_seconds", &StageTime::measuredSeconds,
              "Of one run, on average.")
      .def_ro("runs", &StageTime::runs);
}

void smp::python::addSessions(nb::module_ &module) {
  addReports(module);
  nb::class_<PySession>(
      module, "Session",
      "A program on devices. One call at a time; threads have their own\n"
      "Sessions, which may share a Program. Other threads run while a step\n"
      "does. A process forked off later cannot use it. Its log goes to\n"
      "logging.getLogger(\"smp\").")
      .def(
          "__init__",
          [](PySession *self, nb::handle program, std::string devices,
             std::string level, double deadline, uint64_t limit,
             std::string_view numerics) {
            SessionOptions options;
            options.devices = std::move(devices);
            options.level = std::move(level);
            options.deadlineSeconds = deadline;
            options.memoryLimitBytes = limit;
            options.checkNumerics = numericsOf(numerics);
            new (self) PySession{openSession(program, std::move(options))};
          },
          "program"_a, nb::kw_only(), "devices"_a = "", "level"_a = "",
          "deadline_seconds"_a = 60.0, "memory_limit_bytes"_a = 0,
          "check_numerics"_a = "off",
          nb::sig("def __init__(self, program: Program | str | "
                  "os.PathLike[str], *, devices: str = '', level: str = '', "
                  "deadline_seconds: float = 60.0, memory_limit_bytes: int = "
                  "0, check_numerics: typing.Literal['off', 'nan', "
                  "'nan_and_inf'] = 'off') -> None"),
          "devices: one per partition, as \"cpu:0,cpu:1\"; default: those.\n"
          "level: the highest level of kernels, as \"v3\"; default: what there "
          "is.\n"
          "deadline_seconds: a step without progress ends after it; 0: never.\n"
          "memory_limit_bytes: the most that one device may allocate; 0: no "
          "limit.\n"
          "check_numerics: end a step at the first kernel that writes such a "
          "float.")
      .def(
          "step",
          [](const PySession &self, std::string_view entry, nb::handle inputs,
             nb::handle out, uint32_t microbatches, const nb::kwargs &named) {
            return step(self.open, entry, inputs, out, microbatches, named);
          },
          nb::arg(), nb::arg() = nb::none(), nb::kw_only(),
          "out"_a = nb::none(), "microbatches"_a = 0, "named"_a,
          nb::sig("def step(self, entry: str, inputs: "
                  "collections.abc.Mapping[str, numpy.typing.ArrayLike] | None "
                  "= None, /, *, out: collections.abc.Mapping[str, "
                  "typing.Any] | None = None, microbatches: int = 0, **named: "
                  "numpy.typing.ArrayLike) -> dict[str, typing.Any]"),
          "Runs an entry over all microbatches that the inputs hold, and gives "
          "its\n"
          "outputs by name, as new arrays of NumPy or, of those that `out` "
          "names, the\n"
          "arrays there.\n\n"
          "Inputs are read where they are: arrays of NumPy, or of what speaks "
          "DLPack,\n"
          "in host memory; those that are not row-major are copied. `out` are\n"
          "writable row-major ones. A step that fails before its update "
          "changes nothing.")
      .def("get_variable", &getVariable, "name"_a,
           nb::sig("def get_variable(self, name: str) -> typing.Any"),
           "A copy, as a new array of NumPy.")
      .def("set_variable", &setVariable, "name"_a, "value"_a,
           nb::sig("def set_variable(self, name: str, value: "
                   "numpy.typing.ArrayLike) -> None"),
           "Copies a value of the variable's type and shape.")
      .def(
          "request_stop",
          [](const PySession &self) { stillOpen(self).requestStop(); },
          "Makes the running step and all later ones end with "
          "CancelledError.\nFrom any thread.")
      .def(
          "clear_stop",
          [](const PySession &self) { stillOpen(self).clearStop(); },
          "Lets steps run again.")
      .def("close", &closeSession,
           "Gives back devices and memory; a CheckpointManager of it is of no "
           "use then.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Session"))
      .def(
          "__exit__",
          [](const PySession &self, const nb::args &) { closeSession(self); },
          nb::sig("def __exit__(self, *exception: object) -> None"))
      .def_prop_ro(
          "entries",
          [](const PySession &self) { return byName(self.open->entries); },
          nb::sig("def entries(self) -> dict[str, EntrySignature]"))
      .def_prop_ro(
          "variables",
          [](const PySession &self) { return byName(self.open->variables); },
          nb::sig("def variables(self) -> dict[str, VariableSignature]"))
      .def("memory",
           [](const PySession &self) { return Use(self.open)->memory(); })
      .def("stage_times",
           [](const PySession &self) { return Use(self.open)->stageTimes(); });
}
