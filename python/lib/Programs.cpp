// SPDX-License-Identifier: Apache-2.0
// Programs, and what they say of themselves.
#include "Errors.h"
#include "OpenSession.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace smp;
using namespace smp::python;

std::string smp::python::pathOf(nb::handle path) {
  PyObject *bytes = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &bytes))
    throw nb::python_error();
  const nb::object owned = nb::steal(bytes);
  return {PyBytes_AS_STRING(bytes), size_t(PyBytes_GET_SIZE(bytes))};
}

nb::str smp::python::textOfPath(std::string_view path) {
  PyObject *text =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), Py_ssize_t(path.size()));
  if (!text)
    throw nb::python_error();
  return nb::steal<nb::str>(text);
}

static nb::tuple shapeOf(const std::vector<int64_t> &shape) {
  nb::list sizes;
  for (const int64_t size : shape)
    sizes.append(size);
  return nb::tuple(sizes);
}

static std::string described(const char *type, const std::string &name,
                             DType dtype, const std::vector<int64_t> &shape) {
  return std::string(type) + "('" + name + "', " + numpyName(dtype) + ", " +
         nb::str(shapeOf(shape)).c_str() + ")";
}

template <typename Signature>
static nb::class_<Signature> addSignature(nb::module_ &module, const char *name,
                                          const char *doc) {
  return nb::class_<Signature>(module, name, doc)
      .def_ro("name", &Signature::name)
      .def_prop_ro(
          "dtype", [](const Signature &s) { return numpyName(s.dtype); },
          "NumPy's name of the element type, as \"float32\".")
      .def_prop_ro(
          "shape", [](const Signature &s) { return shapeOf(s.shape); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Of one microbatch.")
      .def("__repr__", [name](const Signature &s) {
        return described(name, s.name, s.dtype, s.shape);
      });
}

void smp::python::addPrograms(nb::module_ &module) {
  addSignature<TensorSignature>(module, "TensorSignature",
                                "An input or output of an entry.")
      .def_prop_ro(
          "batch_axis",
          [](const TensorSignature &s) {
            return s.batchAxis < 0 ? nb::object(nb::none())
                                   : nb::object(nb::int_(s.batchAxis));
          },
          nb::sig("def batch_axis(self) -> int | None"),
          "The dimension that microbatches are split or joined along.")
      .def_ro("join", &TensorSignature::join,
              "What becomes of an output's values of several microbatches.");
  addSignature<VariableSignature>(module, "VariableSignature",
                                  "A variable of a program.")
      .def_ro("kind", &VariableSignature::kind,
              "\"parameter\", \"optimizer\", \"state\", \"random\" or "
              "\"constant\".");
  nb::class_<EntrySignature>(module, "EntrySignature",
                             "What a step of an entry takes and gives.")
      .def_ro("name", &EntrySignature::name)
      .def_ro("mode", &EntrySignature::mode,
              "\"train\", \"eval\", \"predict\" or \"global\".")
      .def_prop_ro(
          "inputs", [](const EntrySignature &e) { return byName(e.inputs); },
          nb::sig("def inputs(self) -> dict[str, TensorSignature]"))
      .def_prop_ro(
          "outputs", [](const EntrySignature &e) { return byName(e.outputs); },
          nb::sig("def outputs(self) -> dict[str, TensorSignature]"))
      .def_ro("microbatches", &EntrySignature::microbatches,
              "How many a step has; 0: any number.")
      .def("__repr__", [](const EntrySignature &e) {
        return "EntrySignature('" + e.name + "', inputs " +
               std::string(nb::repr(nb::list(byName(e.inputs))).c_str()) +
               ", outputs " + nb::repr(nb::list(byName(e.outputs))).c_str() +
               ")";
      });
  nb::class_<SharedProgram>(
      module, "Program",
      "A loaded program that several Sessions can share, with its weights. A\n"
      "program is executable code: load it only from whom you would load a\n"
      "shared library from.")
      .def(
          "__init__",
          [](SharedProgram *self, nb::handle path) {
            const std::string file = pathOf(path);
            auto program = [&] {
              const Unlocked unlocked;
              return SharedProgram::open(file);
            }();
            new (self) SharedProgram(check(std::move(program)));
          },
          "path"_a,
          nb::sig("def __init__(self, path: str | os.PathLike[str]) -> None"))
      .def_prop_ro(
          "entries", [](const SharedProgram &p) { return byName(p.entries()); },
          nb::sig("def entries(self) -> dict[str, EntrySignature]"))
      .def_prop_ro(
          "variables",
          [](const SharedProgram &p) { return byName(p.variables()); },
          nb::sig("def variables(self) -> dict[str, VariableSignature]"))
      .def_prop_ro("fingerprint", &SharedProgram::fingerprint,
                   "The same for equal programs, another one for others.");
}
