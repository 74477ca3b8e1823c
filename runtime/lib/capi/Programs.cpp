// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::toError;

static_assert(SMP_F64 == int(DType::F64) && SMP_F16 == int(DType::F16) &&
              SMP_I8 == int(DType::I8) && SMP_BOOL == int(DType::Bool));

static smp_signature view(const TensorSignature &tensor) {
  return {tensor.name.c_str(),
          smp_dtype(tensor.dtype),
          tensor.shape.size(),
          tensor.shape.data(),
          tensor.batchAxis,
          tensor.join.c_str(),
          ""};
}

smp_program::smp_program(SharedProgram shared)
    : program(std::move(shared)), entries(program.entries()),
      variables(program.variables()) {
  for (const EntrySignature &entry : entries) {
    Entry &made = views.emplace_back();
    for (const TensorSignature &input : entry.inputs)
      made.inputs.push_back(view(input));
    for (const TensorSignature &output : entry.outputs)
      made.outputs.push_back(view(output));
  }
  for (const VariableSignature &variable : variables)
    variableViews.push_back({variable.name.c_str(), smp_dtype(variable.dtype),
                             variable.shape.size(), variable.shape.data(), -1,
                             "", variable.kind.c_str()});
}

static smp_error *finish(StatusOr<SharedProgram> opened,
                         smp_program **out_program) {
  if (!opened.ok())
    return toError(opened.status());
  *out_program = new smp_program(opened.take());
  return nullptr;
}

extern "C" {

smp_error *smp_program_open(const char *path, smp_program **out_program) {
  SMP_RETURN_IF_NULL(path);
  SMP_RETURN_IF_NULL(out_program);
  return finish(SharedProgram::open(path), out_program);
}

smp_error *smp_program_create(const void *data, size_t size,
                              const void *weights, size_t weights_size,
                              smp_program **out_program) {
  SMP_RETURN_IF_NULL(data);
  SMP_RETURN_IF_NULL(out_program);
  return finish(
      SharedProgram::read({static_cast<const std::byte *>(data), size},
                          {static_cast<const std::byte *>(weights),
                           weights ? weights_size : 0}),
      out_program);
}

void smp_program_destroy(smp_program *program) { delete program; }

uint64_t smp_program_fingerprint(const smp_program *program) {
  return program ? program->program.fingerprint() : 0;
}

size_t smp_program_entry_count(const smp_program *program) {
  return program ? program->entries.size() : 0;
}

static const EntrySignature *entryAt(const smp_program *program, size_t entry) {
  return entry < smp_program_entry_count(program) ? &program->entries[entry]
                                                  : nullptr;
}
const char *smp_program_entry_name(const smp_program *program, size_t entry) {
  const EntrySignature *found = entryAt(program, entry);
  return found ? found->name.c_str() : nullptr;
}
const char *smp_program_entry_mode(const smp_program *program, size_t entry) {
  const EntrySignature *found = entryAt(program, entry);
  return found ? found->mode.c_str() : nullptr;
}

uint32_t smp_program_entry_microbatches(const smp_program *program,
                                        size_t entry) {
  const EntrySignature *found = entryAt(program, entry);
  return found ? found->microbatches : 0;
}

static size_t count(const smp_program *program, size_t entry,
                    std::vector<smp_signature> smp_program::Entry::*list) {
  return entryAt(program, entry) ? (program->views[entry].*list).size() : 0;
}
static const smp_signature *
at(const smp_program *program, size_t entry, size_t position,
   std::vector<smp_signature> smp_program::Entry::*list) {
  return position < count(program, entry, list)
             ? &(program->views[entry].*list)[position]
             : nullptr;
}

size_t smp_program_input_count(const smp_program *program, size_t entry) {
  return count(program, entry, &smp_program::Entry::inputs);
}
const smp_signature *smp_program_input(const smp_program *program, size_t entry,
                                       size_t position) {
  return at(program, entry, position, &smp_program::Entry::inputs);
}
size_t smp_program_output_count(const smp_program *program, size_t entry) {
  return count(program, entry, &smp_program::Entry::outputs);
}
const smp_signature *smp_program_output(const smp_program *program,
                                        size_t entry, size_t position) {
  return at(program, entry, position, &smp_program::Entry::outputs);
}

size_t smp_program_variable_count(const smp_program *program) {
  return program ? program->variableViews.size() : 0;
}
const smp_signature *smp_program_variable(const smp_program *program,
                                          size_t position) {
  return position < smp_program_variable_count(program)
             ? &program->variableViews[position]
             : nullptr;
}
}
