// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::nullError;
using smp::capi::toError;

static std::string text(const char *string) { return string ? string : ""; }

extern "C" {

//===-- Options -----------------------------------------------------------===//

smp_options *smp_options_create(void) { return new smp_options; }
void smp_options_destroy(smp_options *options) { delete options; }

void smp_options_set_devices(smp_options *options, const char *devices) {
  options->options.devices = text(devices);
}
void smp_options_set_cpu_level(smp_options *options, const char *level) {
  options->options.cpuLevel = text(level);
}
void smp_options_set_deadline(smp_options *options, double seconds) {
  options->options.deadlineSeconds = seconds;
}
void smp_options_set_memory_limit(smp_options *options, uint64_t bytes) {
  options->options.memoryLimitBytes = bytes;
}
void smp_options_set_check_numerics(smp_options *options, smp_numerics what) {
  options->options.checkNumerics = CheckNumerics(what);
}
void smp_options_set_communicator(smp_options *options,
                                  smp_communicator *communicator) {
  options->options.communicator =
      communicator ? communicator->communicator.get() : nullptr;
}
void smp_options_want_output(smp_options *options, const char *name) {
  options->options.wantedOutputs.push_back(text(name));
}
void smp_options_set_allocator(smp_options *options, smp_allocate allocate,
                               smp_release release, void *user) {
  options->options.allocator = {allocate, release, user};
}

void smp_options_set_log(smp_options *options, smp_log log, void *user) {
  options->options.log = nullptr;
  if (log)
    options->options.log = [log, user](LogLevel level,
                                       std::string_view message) {
      log(user, level == LogLevel::Warning, message.data(), message.size());
    };
}

void smp_options_set_profile(smp_options *options, smp_profile profile,
                             void *user) {
  options->options.profile = nullptr;
  if (profile)
    options->options.profile =
        [profile, user](std::string_view, std::span<const ProfileSpan> spans) {
          std::vector<smp_span> all;
          for (const ProfileSpan &span : spans)
            all.push_back({span.kind == ProfileSpan::Kind::Kernel,
                           span.name.data(), span.name.size(), span.partition,
                           span.microbatch, span.begin, span.end});
          profile(user, all.data(), all.size());
        };
}

//===-- Communicators -----------------------------------------------------===//

smp_error *
smp_communicators_create_in_process(uint32_t size,
                                    smp_communicator **out_communicators) {
  if (size == 0)
    return toError(invalidArgument(
        "smp_communicators_create_in_process: size is 0; at least 1"));
  auto all = createInProcessCommunicators(size);
  for (uint32_t i = 0; i < size; ++i)
    out_communicators[i] = new smp_communicator{std::move(all[i])};
  return nullptr;
}

smp_error *smp_communicator_create_sockets(
    uint32_t rank, uint32_t size, const char *address, const char *job,
    double deadline_seconds, smp_communicator **out_communicator) {
  if (!address)
    return nullError("smp_communicator_create_sockets", "address");
  auto made = createSocketCommunicator(
      {rank, size, address, deadline_seconds, text(job)});
  if (!made.ok())
    return toError(made.status());
  *out_communicator = new smp_communicator{made.take()};
  return nullptr;
}

void smp_communicator_destroy(smp_communicator *communicator) {
  delete communicator;
}
}
