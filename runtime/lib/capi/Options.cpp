// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::logTo;
using smp::capi::text;

extern "C" {

smp_options *smp_options_create(void) { return new smp_options; }
void smp_options_destroy(smp_options *options) { delete options; }

void smp_options_set_devices(smp_options *options, const char *devices) {
  if (options)
    options->options.devices = text(devices);
}
void smp_options_set_level(smp_options *options, const char *level) {
  if (options)
    options->options.level = text(level);
}
void smp_options_set_deadline(smp_options *options, double seconds) {
  if (options)
    options->options.deadlineSeconds = seconds;
}
void smp_options_set_memory_limit(smp_options *options, uint64_t bytes) {
  if (options)
    options->options.memoryLimitBytes = bytes;
}
void smp_options_set_check_numerics(smp_options *options, smp_numerics what) {
  if (options)
    options->options.checkNumerics = CheckNumerics(what);
}
void smp_options_set_communicator(smp_options *options,
                                  smp_communicator *communicator) {
  if (options)
    options->options.communicator =
        communicator ? communicator->communicator.get() : nullptr;
}
void smp_options_want_output(smp_options *options, const char *name) {
  if (options)
    options->options.wantedOutputs.push_back(text(name));
}
void smp_options_set_allocator(smp_options *options, smp_allocate allocate,
                               smp_release release, void *user) {
  if (options)
    options->options.allocator = {allocate, release, user};
}

void smp_options_set_log(smp_options *options, smp_log log, void *user) {
  if (options)
    options->options.log = logTo(log, user);
}

void smp_options_set_profile(smp_options *options, smp_profile profile,
                             void *user) {
  if (!options)
    return;
  options->options.profile = nullptr;
  if (profile)
    options->options.profile = [profile,
                                user](std::string_view,
                                      std::span<const ProfileSpan> spans) {
      capi::Listed<smp_span> all;
      for (const ProfileSpan &span : spans)
        all.items.push_back({span.kind == ProfileSpan::Kind::Kernel,
                             span.name.data(), span.name.size(), span.partition,
                             span.microbatch, span.begin, span.end});
      profile(user, all.give(nullptr), all.items.size());
    };
}
}
