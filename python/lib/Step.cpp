// SPDX-License-Identifier: Apache-2.0
// One step: arrays in, arrays out.
#include "Errors.h"
#include "OpenSession.h"
#include <cstring>

namespace nb = nanobind;
using namespace smp;
using namespace smp::python;

namespace {

/// An item of a mapping of the caller, kept: reading arrays may run code that
/// changes the mapping.
struct Item {
  nb::object key, value;
  std::string_view name; ///< Of `key`.
};

/// What a step is given, and what it gives.
struct Tensors {
  std::vector<Item> inputItems, outItems;
  std::vector<ReadArray> inputs;
  std::vector<WrittenArray> outs;
  std::vector<InputTensor> views;
  std::vector<OutputBinding> bindings;
};

/// Bytes to be copied out of the Session's memory.
struct Copy {
  void *to;
  const void *from;
  uint64_t bytes;
};

} // namespace

static void addItems(nb::handle mapping, const char *what,
                     std::vector<Item> &items) {
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(mapping.ptr(), &i, &key, &value);)
    items.push_back({nb::borrow(key), nb::borrow(value), {}});
  for (Item &item : items) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(item.key.ptr()))
      throw nb::type_error((std::string(what) + " has a name that is a " +
                            nb::type_name(item.key.type()).c_str() +
                            "; names are strings")
                               .c_str());
    const char *text = PyUnicode_AsUTF8AndSize(item.key.ptr(), &size);
    if (!text)
      throw nb::python_error();
    item.name = {text, size_t(size)};
  }
}

static void addMapping(nb::handle mapping, const char *what,
                       std::vector<Item> &items) {
  if (mapping.is_none())
    return;
  if (PyDict_Check(mapping.ptr()))
    return addItems(mapping, what, items);
  if (!PyMapping_Check(mapping.ptr()) || !nb::hasattr(mapping, "keys"))
    throw nb::type_error((std::string(what) + " is a " +
                          nb::type_name(mapping.type()).c_str() +
                          "; it must be a mapping of names to arrays")
                             .c_str());
  const nb::dict copied;
  if (whileItLasts(
          [&] { return PyDict_Update(copied.ptr(), mapping.ptr()); }) != 0)
    throw nb::python_error();
  addItems(copied, what, items);
}

static const TensorSignature *find(const std::vector<TensorSignature> &tensors,
                                   std::string_view name) {
  for (const TensorSignature &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

static void readInputs(const EntrySignature *entry, Tensors &tensors) {
  tensors.inputs.reserve(tensors.inputItems.size());
  for (const Item &item : tensors.inputItems) {
    // Of an unknown name the Session says what is wrong.
    const TensorSignature *input =
        entry ? find(entry->inputs, item.name) : nullptr;
    tensors.inputs.emplace_back(item.value, input ? input->dtype : DType::F32,
                                "input", item.name);
    tensors.views.push_back({item.name, tensors.inputs.back().view()});
  }
}

static void bindOutputs(const EntrySignature *entry, Tensors &tensors) {
  for (const Item &item : tensors.outItems) {
    const TensorSignature *output =
        entry ? find(entry->outputs, item.name) : nullptr;
    if (!output)
      raise(invalidArgument("out '" + std::string(item.name) +
                            "': the entry has no such output"));
    const WrittenArray &written =
        tensors.outs.emplace_back(item.value, output->dtype, item.name);
    tensors.bindings.push_back({item.name, written.data(), written.bytes()});
  }
}

static const Item *find(const std::vector<Item> &items, std::string_view name) {
  for (const Item &item : items)
    if (item.name == name)
      return &item;
  return nullptr;
}

static nb::object outputsOf(const StepOutput &output, const Tensors &tensors) {
  nb::dict outputs;
  std::vector<Copy> copies;
  uint64_t bytes = 0;
  for (const OutputTensor &tensor : output.all()) {
    const nb::str name(tensor.name.data(), tensor.name.size());
    if (const Item *out = find(tensors.outItems, tensor.name)) {
      outputs[name] = out->value;
      continue;
    }
    void *data = nullptr;
    outputs[name] = makeArray(tensor.dtype, tensor.shape, data);
    copies.push_back({data, tensor.data, tensor.bytes});
    bytes += tensor.bytes;
  }
  const auto copy = [&] {
    for (const Copy &each : copies)
      if (each.bytes)
        std::memcpy(each.to, each.from, each.bytes);
  };
  constexpr uint64_t kWorthUnlocking = 1 << 18;
  if (bytes < kWorthUnlocking) {
    copy();
  } else {
    const Unlocked unlocked;
    copy();
  }
  return outputs;
}

/// After its deadline a kernel may still use what a step was given.
static void keep(OpenSession &open, Tensors &tensors) {
  for (ReadArray &input : tensors.inputs)
    open.keptInputs.push_back(std::move(input));
  for (WrittenArray &out : tensors.outs)
    open.keptOutputs.push_back(std::move(out));
}

nb::object smp::python::step(const std::shared_ptr<OpenSession> &open,
                             std::string_view entryName, nb::handle inputs,
                             nb::handle out, uint32_t microbatches,
                             const nb::kwargs &named) {
  Use use(open);
  Tensors tensors;
  addMapping(inputs, "inputs", tensors.inputItems);
  addMapping(named, "inputs", tensors.inputItems);
  addMapping(out, "out", tensors.outItems);
  const EntrySignature *entry = nullptr;
  for (const EntrySignature &each : open->entries)
    if (each.name == entryName)
      entry = &each;
  readInputs(entry, tensors);
  if (entry)
    bindOutputs(entry, tensors);
  StatusOr<StepOutput> output = [&] {
    const Unlocked unlocked;
    return use->step(entryName, tensors.views,
                     {microbatches, tensors.bindings});
  }();
  if (!output.ok()) {
    if (output.status().code() == StatusCode::DeadlineExceeded)
      keep(*open, tensors);
    open->lines->handOn();
    raise(output.status());
  }
  open->keptInputs.clear();
  open->keptOutputs.clear();
  nb::object outputs = outputsOf(*output, tensors);
  open->lines->handOn();
  return outputs;
}
