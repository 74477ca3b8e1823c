// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::logTo;
using smp::capi::modeOf;
using smp::capi::nullError;
using smp::capi::sessionOf;
using smp::capi::tensorAt;
using smp::capi::toError;
using smp::capi::viewOf;
using smp::capi::wordOf;

static HookOptions valueOf(const smp_hook_options *options) {
  return options ? options->options : HookOptions();
}

extern "C" {

//===-- Options -----------------------------------------------------------===//

smp_hook_options *smp_hook_options_create(void) { return new smp_hook_options; }
void smp_hook_options_destroy(smp_hook_options *options) { delete options; }

void smp_hook_options_resume(smp_hook_options *options) {
  if (options)
    options->options.resume = true;
}
void smp_hook_options_set_buffer_bytes(smp_hook_options *options,
                                       uint64_t bytes) {
  if (options)
    options->options.bufferBytes = bytes;
}
void smp_hook_options_wait_when_behind(smp_hook_options *options) {
  if (options)
    options->options.whenBehind = WhenBehind::Wait;
}
void smp_hook_options_set_keep_values(smp_hook_options *options,
                                      uint64_t count) {
  if (options)
    options->options.keepValues = count;
}
void smp_hook_options_stop_on_error(smp_hook_options *options) {
  if (options)
    options->options.onError = OnObserverError::Stop;
}
void smp_hook_options_set_log(smp_hook_options *options, smp_log log,
                              void *user) {
  if (options)
    options->options.log = logTo(log, user);
}

//===-- Hooks -------------------------------------------------------------===//

smp_error *smp_hook_create(const smp_hook_config *config,
                           const smp_hook_options *options,
                           smp_hook **out_hook) {
  SMP_RETURN_IF_NULL(config);
  SMP_RETURN_IF_NULL(out_hook);
  if (Status status = config->check(); !status.ok())
    return toError(std::move(status));
  *out_hook = new smp_hook{Hook(config->config, valueOf(options)), {}, {}, {}};
  return nullptr;
}

smp_error *smp_hook_create_from_environment(const smp_hook_options *options,
                                            smp_hook **out_hook) {
  SMP_RETURN_IF_NULL(out_hook);
  auto made = Hook::fromEnvironment(valueOf(options));
  if (!made.ok())
    return toError(made.status());
  *out_hook = *made ? new smp_hook{std::move(**made), {}, {}, {}} : nullptr;
  return nullptr;
}

void smp_hook_destroy(smp_hook *hook) { delete hook; }

smp_error *smp_hook_register_loss(smp_hook *hook, const char *output) {
  SMP_RETURN_IF_NULL(hook);
  SMP_RETURN_IF_NULL(output);
  return toError(hook->hook.registerLoss(output));
}

smp_error *smp_hook_add_to_collection(smp_hook *hook, const char *collection,
                                      const char *output) {
  SMP_RETURN_IF_NULL(hook);
  SMP_RETURN_IF_NULL(collection);
  SMP_RETURN_IF_NULL(output);
  return toError(hook->hook.addToCollection(collection, output));
}

smp_error *smp_hook_attach(smp_hook *hook, smp_session *session) {
  SMP_RETURN_IF_NULL(hook);
  SMP_RETURN_IF_NULL(session);
  return toError(hook->hook.attach(sessionOf(*session)));
}

smp_error *smp_hook_close(smp_hook *hook) {
  SMP_RETURN_IF_NULL(hook);
  return toError(hook->hook.close());
}

smp_error *smp_hook_set_mode(smp_hook *hook, const char *mode) {
  SMP_RETURN_IF_NULL(hook);
  const auto wanted = modeOf("smp_hook_set_mode", mode);
  return toError(wanted.ok() ? hook->hook.setMode(*wanted) : wanted.status());
}

const char *smp_hook_mode(const smp_hook *hook) {
  return hook ? wordOf(hook->hook.mode()) : "";
}

//===-- Values of the application -----------------------------------------===//

smp_error *smp_hook_save_scalar(smp_hook *hook, const char *name, double value,
                                int sm_metric) {
  SMP_RETURN_IF_NULL(hook);
  SMP_RETURN_IF_NULL(name);
  return toError(hook->hook.saveScalar(name, value, sm_metric != 0));
}

/// Fails for what must not be read.
static StatusOr<TensorView> checkedView(const smp_tensor &tensor) {
  SMP_ASSIGN_OR_RETURN(const TensorView view, viewOf(tensor));
  const auto bytes =
      checkedBytes({view.dtype, {view.shape.begin(), view.shape.end()}});
  if (!view.data && bytes.value_or(0) > 0)
    return invalidArgument("its data is NULL");
  return view;
}

smp_error *smp_hook_save_tensor(smp_hook *hook, const smp_tensor *tensor,
                                const char *const *collections,
                                size_t collection_count) {
  constexpr const char *kFunction = "smp_hook_save_tensor";
  SMP_RETURN_IF_NULL(hook);
  SMP_RETURN_IF_NULL(tensor);
  SMP_RETURN_IF_NULL(tensor->name);
  if (!collections && collection_count > 0)
    return nullError(kFunction, "collections");
  std::vector<std::string> names;
  for (size_t i = 0; i < collection_count; ++i) {
    if (!collections[i])
      return nullError(kFunction,
                       ("collections[" + std::to_string(i) + "]").c_str());
    names.push_back(collections[i]);
  }
  if (names.empty())
    names.push_back("default");
  const auto given = tensorAt(tensor, 0);
  if (!given.ok())
    return toError(given.status());
  const auto view = checkedView(*given);
  if (!view.ok())
    return toError(
        view.status().in(std::string("tensor '") + tensor->name + "'"));
  return toError(hook->hook.saveTensor(tensor->name, *view, names));
}

//===-- Answers -----------------------------------------------------------===//

const smp_step_counts *smp_hook_counts(smp_hook *hook) {
  if (!hook)
    return nullptr;
  const HookReport report = hook->hook.report();
  hook->counts = {report.written, report.leftOut, report.lost, report.bytes};
  return &hook->counts;
}

const char *smp_hook_summary(smp_hook *hook) {
  if (!hook)
    return "";
  hook->summary = hook->hook.report().summary;
  return hook->summary.c_str();
}

const smp_captured_value *const *
smp_hook_values(smp_hook *hook, const char *output, size_t *out_count) {
  if (!hook)
    return capi::Listed<smp_captured_value>::none(out_count);
  std::vector<smp_captured_value> &views = hook->values.items;
  views.clear();
  if (output)
    for (const CapturedValue &value : hook->hook.values(output))
      views.push_back(
          {wordOf(value.mode), value.modeStep, value.globalStep, value.mean()});
  return hook->values.give(out_count);
}
}
