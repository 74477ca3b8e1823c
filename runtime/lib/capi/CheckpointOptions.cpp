// SPDX-License-Identifier: Apache-2.0
#include "CheckpointHandles.h"

using namespace smp;
using smp::capi::logTo;
using smp::capi::nullStatus;
using smp::capi::text;

namespace {

/// What an application gives and takes by callbacks.
class BytesByCallback : public Saveable {
public:
  BytesByCallback(smp_give_bytes give, smp_take_bytes take, void *user)
      : give(give), take(take), user(user) {}

  StatusOr<SavedValue> save() const override {
    const void *data = nullptr;
    size_t size = 0;
    give(user, &data, &size);
    if (!data && size)
      return invalidArgument("smp_give_bytes: *out_data is NULL for " +
                             std::to_string(size) + " bytes");
    const auto *bytes = static_cast<const std::byte *>(data);
    return SavedValue{DType::U8, {int64_t(size)}, {bytes, bytes + size}};
  }
  Status check(const TensorView &value) const override {
    if (value.dtype == DType::U8 && value.shape.size() == 1)
      return Status();
    return invalidArgument(
        "the checkpoint has a " + std::string(toString(value.dtype)) +
        " of rank " + std::to_string(value.shape.size()) +
        "; bytes, which are a u8 of rank 1, were to be restored");
  }
  void restore(const TensorView &value) override {
    const auto size = size_t(value.shape[0]);
    take(user, size ? value.data : "", size); // C copies no bytes from null.
  }

private:
  const smp_give_bytes give;
  const smp_take_bytes take;
  void *const user;
};

} // namespace

Checkpoint smp_checkpoint_options::checkpoint() const {
  return whole ? Checkpoint(*whole, roots) : Checkpoint(roots);
}

void smp_checkpoint_options::refuse(Status why) {
  if (problem.ok())
    problem = std::move(why);
}

template <typename T>
static void addValue(smp_checkpoint_options *options, const char *function,
                     const char *name, T *value) {
  if (!options)
    return;
  if (name && value)
    options->roots.push_back({name, *value});
  else
    options->refuse(nullStatus(function, name ? "value" : "name"));
}

extern "C" {

smp_checkpoint_options *smp_checkpoint_options_create(void) {
  return new smp_checkpoint_options;
}
void smp_checkpoint_options_destroy(smp_checkpoint_options *options) {
  delete options;
}

//===-- What is kept ------------------------------------------------------===//

void smp_checkpoint_options_add_session(smp_checkpoint_options *options,
                                        const char *name,
                                        smp_session *session) {
  if (!options)
    return;
  if (!session)
    return options->refuse(
        nullStatus("smp_checkpoint_options_add_session", "session"));
  SessionCore &core = session->session;
  if (name)
    options->roots.push_back({name, core});
  else if (options->whole && options->whole != &core)
    options->refuse(invalidArgument(
        "smp_checkpoint_options_add_session: name is NULL for two sessions; "
        "all of one can be kept, and kinds of another by their names"));
  else
    options->whole = &core;
}

void smp_checkpoint_options_add_number(smp_checkpoint_options *options,
                                       const char *name, int64_t *value) {
  addValue(options, "smp_checkpoint_options_add_number", name, value);
}

void smp_checkpoint_options_add_real(smp_checkpoint_options *options,
                                     const char *name, double *value) {
  addValue(options, "smp_checkpoint_options_add_real", name, value);
}

void smp_checkpoint_options_add_bytes(smp_checkpoint_options *options,
                                      const char *name, smp_give_bytes give,
                                      smp_take_bytes take, void *user) {
  if (!options)
    return;
  constexpr const char *kFunction = "smp_checkpoint_options_add_bytes";
  if (!give || !take)
    return options->refuse(nullStatus(kFunction, give ? "take" : "give"));
  auto &bytes = options->givenBytes.emplace_back(
      std::make_shared<BytesByCallback>(give, take, user));
  addValue(options, kFunction, name, bytes.get());
}

//===-- How it is kept ----------------------------------------------------===//

void smp_checkpoint_options_set_directory(smp_checkpoint_options *options,
                                          const char *directory) {
  if (options)
    options->options.directory = text(directory);
}
void smp_checkpoint_options_set_name(smp_checkpoint_options *options,
                                     const char *name) {
  if (options)
    options->options.checkpointName = text(name);
}
void smp_checkpoint_options_set_max_to_keep(smp_checkpoint_options *options,
                                            int64_t count) {
  if (options)
    options->options.maxToKeep = count;
}
void smp_checkpoint_options_set_keep_every_hours(
    smp_checkpoint_options *options, double hours) {
  if (options)
    options->options.keepEveryHours = hours;
}
void smp_checkpoint_options_set_keep_best(smp_checkpoint_options *options,
                                          int64_t count, int larger_is_better) {
  if (options)
    options->options.keepBest = {count, larger_is_better
                                            ? KeepBest::Better::Larger
                                            : KeepBest::Better::Smaller};
}
void smp_checkpoint_options_set_interval(smp_checkpoint_options *options,
                                         const int64_t *step,
                                         int64_t interval) {
  if (!options)
    return;
  options->options.stepCounter = step;
  options->options.checkpointInterval = interval;
}
void smp_checkpoint_options_set_budget(smp_checkpoint_options *options,
                                       double part) {
  if (options)
    options->options.budget = part;
}
void smp_checkpoint_options_wait_when_busy(smp_checkpoint_options *options) {
  if (options)
    options->options.whenBusy = WhenBusy::Wait;
}
void smp_checkpoint_options_set_max_shard_size(smp_checkpoint_options *options,
                                               int64_t bytes) {
  if (options)
    options->options.sharding = std::make_shared<MaxShardSizePolicy>(bytes);
}
void smp_checkpoint_options_set_io_device(smp_checkpoint_options *options,
                                          const char *task) {
  if (options)
    options->options.ioDevice = text(task);
}
void smp_checkpoint_options_set_log(smp_checkpoint_options *options,
                                    smp_log log, void *user) {
  if (options)
    options->options.log = logTo(log, user);
}

//===-- Of a save and of a restore ----------------------------------------===//

smp_save_options *smp_save_options_create(void) { return new smp_save_options; }
void smp_save_options_destroy(smp_save_options *options) { delete options; }
void smp_save_options_set_number(smp_save_options *options, int64_t number) {
  if (options)
    options->options.number = number;
}
void smp_save_options_set_metric(smp_save_options *options, double metric) {
  if (options)
    options->options.metric = metric;
}
void smp_save_options_ignore_interval(smp_save_options *options) {
  if (options)
    options->options.checkInterval = false;
}

smp_restore_options *smp_restore_options_create(void) {
  return new smp_restore_options;
}
void smp_restore_options_destroy(smp_restore_options *options) {
  delete options;
}
void smp_restore_options_set_name(smp_restore_options *options,
                                  const char *name) {
  if (options)
    options->options.name = text(name);
}
void smp_restore_options_expect_partial(smp_restore_options *options) {
  if (options)
    options->options.expectPartial = true;
}
void smp_restore_options_fall_back(smp_restore_options *options) {
  if (options)
    options->options.fallBack = true;
}
}
