// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::logTo;
using smp::capi::text;
using smp::capi::toError;

static smp_error *open(const SocketOptions &options,
                       smp_communicator **out_communicator) {
  auto made = createSocketCommunicator(options);
  if (!made.ok())
    return toError(made.status());
  *out_communicator = new smp_communicator{made.take()};
  return nullptr;
}

extern "C" {

//===-- Options -----------------------------------------------------------===//

smp_socket_options *smp_socket_options_create(uint32_t rank, uint32_t size,
                                              const char *address) {
  auto *options = new smp_socket_options;
  options->options.rank = rank;
  options->options.size = size;
  options->options.address = text(address);
  return options;
}
void smp_socket_options_destroy(smp_socket_options *options) { delete options; }

void smp_socket_options_set_deadline(smp_socket_options *options,
                                     double seconds) {
  if (options)
    options->options.deadlineSeconds = seconds;
}
void smp_socket_options_set_job(smp_socket_options *options, const char *job) {
  if (options)
    options->options.job = text(job);
}
void smp_socket_options_set_program(smp_socket_options *options,
                                    uint64_t fingerprint, const char *name) {
  if (!options)
    return;
  options->options.program = fingerprint;
  options->options.programName = text(name);
}
void smp_socket_options_set_secret(smp_socket_options *options,
                                   const void *secret, size_t size) {
  if (options)
    options->options.secret.assign(static_cast<const char *>(secret),
                                   secret ? size : 0);
}
void smp_socket_options_allow_no_secret(smp_socket_options *options) {
  if (options)
    options->options.allowNoSecret = true;
}
void smp_socket_options_set_log(smp_socket_options *options, smp_log log,
                                void *user) {
  if (options)
    options->options.log = logTo(log, user);
}

//===-- Communicators -----------------------------------------------------===//

smp_error *
smp_communicators_create_in_process(uint32_t size,
                                    smp_communicator **out_communicators) {
  SMP_RETURN_IF_NULL(out_communicators);
  if (size == 0)
    return toError(invalidArgument(
        "smp_communicators_create_in_process: size is 0; at least 1"));
  auto all = createInProcessCommunicators(size);
  for (uint32_t i = 0; i < size; ++i)
    out_communicators[i] = new smp_communicator{std::move(all[i])};
  return nullptr;
}

smp_error *smp_communicator_open(const smp_socket_options *options,
                                 smp_communicator **out_communicator) {
  SMP_RETURN_IF_NULL(options);
  SMP_RETURN_IF_NULL(out_communicator);
  return open(options->options, out_communicator);
}

smp_error *smp_communicator_create_sockets(
    uint32_t rank, uint32_t size, const char *address, const char *job,
    double deadline_seconds, smp_communicator **out_communicator) {
  SMP_RETURN_IF_NULL(address);
  SMP_RETURN_IF_NULL(out_communicator);
  return open({rank, size, address, deadline_seconds, text(job)},
              out_communicator);
}

void smp_communicator_destroy(smp_communicator *communicator) {
  delete communicator;
}
}
