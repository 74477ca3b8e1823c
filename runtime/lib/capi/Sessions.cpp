// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"
#include "smp/model/TypeBounds.h"
#include <algorithm>
#include <cstring>

using namespace smp;
using smp::capi::toError;
using smp::capi::viewOf;

void smp_session::forget() {
  last = {};
  outputs.clear();
}

void smp_session::keep(const StepOutput &output) {
  last = output;
  const std::span<const OutputTensor> all = output.all();
  outputNames.resize(std::max(outputNames.size(), all.size()));
  outputs.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    outputNames[i] = all[i].name;
    outputs[i] = {sizeof(smp_tensor),      outputNames[i].c_str(),
                  smp_dtype(all[i].dtype), all[i].shape.size(),
                  all[i].shape.data(),     all[i].data,
                  size_t(all[i].bytes)};
  }
}

Session &smp::capi::sessionOf(smp_session &handle) { return handle.session; }

static Status checkDType(const smp_tensor &tensor) {
  if (tensor.dtype >= 0 && tensor.dtype < int(kNumDTypes))
    return Status();
  return invalidArgument("its element type is " + std::to_string(tensor.dtype) +
                         "; there are 0 (SMP_F64) to 12 (SMP_BOOL)");
}

StatusOr<TensorView> smp::capi::viewOf(const smp_tensor &tensor) {
  SMP_RETURN_IF_ERROR(checkDType(tensor));
  if (tensor.rank > kMostDimensions)
    return invalidArgument("its rank is " + std::to_string(tensor.rank) +
                           "; it must be at most " +
                           std::to_string(kMostDimensions));
  if (tensor.rank > 0 && !tensor.shape)
    return invalidArgument("its rank is " + std::to_string(tensor.rank) +
                           ", and its shape NULL");
  return TensorView{
      DType(tensor.dtype), {tensor.shape, tensor.rank}, tensor.data};
}

static StatusOr<smp_tensor> namedTensorAt(const char *list,
                                          const smp_tensor *tensors, size_t i) {
  auto tensor = smp::capi::tensorAt(tensors, i);
  const std::string what = std::string(list) + "[" + std::to_string(i) + "]";
  if (!tensor.ok())
    return tensor.status().in(what);
  if (!tensor->name)
    return invalidArgument(what + " has no name");
  return tensor;
}

/// Fills the session's lists; a tensor without a name is an error.
static Status collect(smp_session &session, const smp_tensor *inputs,
                      size_t input_count, const smp_tensor *bound,
                      size_t bound_count) {
  session.inputs.clear();
  session.bindings.clear();
  if ((!inputs && input_count) || (!bound && bound_count))
    return invalidArgument(
        std::string(inputs || !input_count ? "bound" : "inputs") +
        " is NULL, and its count is not 0");
  for (size_t i = 0; i < input_count; ++i) {
    SMP_ASSIGN_OR_RETURN(const smp_tensor input,
                         namedTensorAt("inputs", inputs, i));
    const auto view = viewOf(input);
    if (!view.ok())
      return view.status().in(std::string("input '") + input.name + "'");
    session.inputs.push_back({input.name, *view});
  }
  for (size_t i = 0; i < bound_count; ++i) {
    SMP_ASSIGN_OR_RETURN(const smp_tensor output,
                         namedTensorAt("bound", bound, i));
    session.bindings.push_back({output.name, output.data, output.bytes});
  }
  return Status();
}

extern "C" {

smp_error *smp_session_create(const smp_program *program,
                              const smp_options *options,
                              smp_session **out_session) {
  SMP_RETURN_IF_NULL(program);
  SMP_RETURN_IF_NULL(out_session);
  auto opened = Session::open(program->program,
                              options ? options->options : SessionOptions());
  if (!opened.ok())
    return toError(opened.status());
  *out_session = new smp_session(opened.take());
  return nullptr;
}

void smp_session_destroy(smp_session *session) { delete session; }

//===-- Steps -------------------------------------------------------------===//

smp_error *smp_session_step(smp_session *session, const char *entry,
                            const smp_tensor *inputs, size_t input_count,
                            const smp_tensor *bound, size_t bound_count,
                            uint32_t microbatches) {
  SMP_RETURN_IF_NULL(session);
  SMP_RETURN_IF_NULL(entry);
  if (Status status =
          collect(*session, inputs, input_count, bound, bound_count);
      !status.ok())
    return toError(std::move(status));
  session->forget();
  auto output = session->session.step(entry, session->inputs,
                                      {microbatches, session->bindings});
  if (!output.ok())
    return toError(output.status());
  session->keep(*output);
  return nullptr;
}

smp_error *smp_session_step_async(smp_session *session, const char *entry,
                                  const smp_tensor *inputs, size_t input_count,
                                  const smp_tensor *bound, size_t bound_count,
                                  uint32_t microbatches, smp_done done,
                                  void *user) {
  SMP_RETURN_IF_NULL(session);
  SMP_RETURN_IF_NULL(entry);
  SMP_RETURN_IF_NULL(done);
  if (Status status =
          collect(*session, inputs, input_count, bound, bound_count);
      !status.ok())
    return toError(std::move(status));
  return toError(session->session.stepAsync(
      entry, session->inputs, {microbatches, session->bindings},
      [session, done, user](StatusOr<StepOutput> output) {
        session->forget();
        if (output.ok())
          session->keep(*output);
        done(user, toError(output.status()));
      }));
}

void smp_session_request_stop(smp_session *session) {
  if (session)
    session->session.requestStop();
}
void smp_session_clear_stop(smp_session *session) {
  if (session)
    session->session.clearStop();
}

size_t smp_session_output_count(const smp_session *session) {
  return session ? session->outputs.size() : 0;
}
const smp_tensor *smp_session_output(const smp_session *session,
                                     size_t position) {
  return position < smp_session_output_count(session)
             ? &session->outputs[position]
             : nullptr;
}
const smp_tensor *smp_session_find_output(const smp_session *session,
                                          const char *name) {
  if (!session || !name)
    return nullptr;
  for (const smp_tensor &tensor : session->outputs)
    if (std::strcmp(tensor.name, name) == 0)
      return &tensor;
  return nullptr;
}

static StatusOr<HostTensor> combine(const OutputTensor &output,
                                    smp_combination combination) {
  switch (combination) {
  case SMP_REDUCE_SUM:
    return output.reduceSum();
  case SMP_REDUCE_MEAN:
    return output.reduceMean();
  case SMP_CONCAT:
    return output.concat();
  case SMP_STACK:
    return output.stack();
  }
  return invalidArgument("smp_session_combine_output: combination is " +
                         std::to_string(int(combination)) +
                         "; it must be one of smp_combination, 1 to 4");
}

smp_error *smp_session_combine_output(smp_session *session, const char *name,
                                      smp_combination combination,
                                      const smp_tensor **out_tensor) {
  SMP_RETURN_IF_NULL(session);
  SMP_RETURN_IF_NULL(name);
  SMP_RETURN_IF_NULL(out_tensor);
  const OutputTensor *output = session->last.find(name);
  if (!output)
    return toError(invalidArgument("the last step has no output '" +
                                   std::string(name) + "' here"));
  StatusOr<HostTensor> combined = combine(*output, combination);
  if (!combined.ok())
    return toError(combined.status());
  session->combined = combined.take();
  const HostTensor &tensor = session->combined;
  session->combinedView = {sizeof(smp_tensor),
                           smp_session_find_output(session, name)->name,
                           smp_dtype(tensor.type.dtype),
                           tensor.type.shape.size(),
                           tensor.type.shape.data(),
                           session->combined.bytes.data(),
                           tensor.bytes.size()};
  *out_tensor = &session->combinedView;
  return nullptr;
}

//===-- Variables and reports ---------------------------------------------===//

smp_error *smp_session_set_variable(smp_session *session,
                                    const smp_tensor *value) {
  SMP_RETURN_IF_NULL(session);
  SMP_RETURN_IF_NULL(value);
  const auto given = smp::capi::tensorAt(value, 0);
  if (!given.ok())
    return toError(given.status().in("value"));
  SMP_RETURN_IF_NULL(value->name);
  const auto view = viewOf(*given);
  if (!view.ok())
    return toError(
        view.status().in(std::string("variable '") + given->name + "'"));
  return toError(session->session.setVariable(given->name, *view));
}

smp_error *smp_session_get_variable(smp_session *session, const char *name,
                                    void *data, size_t bytes) {
  SMP_RETURN_IF_NULL(session);
  SMP_RETURN_IF_NULL(name);
  return toError(session->session.getVariable(
      name, {static_cast<std::byte *>(data), bytes}));
}

const smp_device_memory *const *smp_session_memory(smp_session *session,
                                                   size_t *out_count) {
  if (!session)
    return capi::Listed<smp_device_memory>::none(out_count);
  std::vector<smp_device_memory> &views = session->memoryViews.items;
  views.clear();
  session->memory = session->session.memory();
  for (const DeviceMemory &memory : session->memory)
    views.push_back({memory.device.c_str(), memory.partition,
                     memory.currentBytes, memory.peakBytes,
                     memory.importedBytes});
  return session->memoryViews.give(out_count);
}

const smp_stage_time *const *smp_session_stage_times(smp_session *session,
                                                     size_t *out_count) {
  if (!session)
    return capi::Listed<smp_stage_time>::none(out_count);
  std::vector<smp_stage_time> &views = session->stageTimeViews.items;
  views.clear();
  session->stageTimes = session->session.stageTimes();
  for (const StageTime &time : session->stageTimes)
    views.push_back({time.entry.c_str(), time.stage.c_str(), time.partition,
                     time.predictedSeconds, time.measuredSeconds, time.runs});
  return session->stageTimeViews.give(out_count);
}

const smp_load_time *smp_session_load_time(smp_session *session) {
  if (!session)
    return nullptr;
  const LoadTime time = session->session.loadTime();
  session->loadTime = {time.loadSeconds, time.weightsSeconds, time.packSeconds,
                       time.jitSeconds};
  return &session->loadTime;
}
}
