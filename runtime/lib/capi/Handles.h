// SPDX-License-Identifier: Apache-2.0
// What the handles of the C API hold.

#ifndef SMP_RUNTIME_CAPI_HANDLES_H
#define SMP_RUNTIME_CAPI_HANDLES_H

#include "smp/runtime/CApi.h"
#include "smp/runtime/Communicators.h"

struct smp_error {
  smp::Status status;
};

struct smp_program {
  explicit smp_program(smp::SharedProgram program);

  struct Entry {
    std::vector<smp_signature> inputs, outputs;
  };
  smp::SharedProgram program;
  std::vector<smp::EntrySignature> entries;
  std::vector<smp::VariableSignature> variables;
  // Views of the two above.
  std::vector<Entry> views;
  std::vector<smp_signature> variableViews;
};

struct smp_communicator {
  std::unique_ptr<smp::Communicator> communicator;
};

struct smp_socket_options {
  smp::SocketOptions options;
};

struct smp_options {
  smp::SessionOptions options;
};

struct smp_session {
  explicit smp_session(smp::Session session) : session(std::move(session)) {}

  /// Keeps views of a step's outputs. Allocates only when there are more than
  /// ever before.
  void keep(const smp::StepOutput &output);
  /// Forgets the last step's outputs.
  void forget();

  smp::StepOutput last;                 // What `outputs` are views of.
  std::vector<std::string> outputNames; // Ended by zero bytes.
  std::vector<smp_tensor> outputs;
  smp::HostTensor combined; // What `combinedView` shows.
  smp_tensor combinedView = {};
  std::vector<smp::InputTensor> inputs;     // Of the step that is started.
  std::vector<smp::OutputBinding> bindings; // The same.
  // What reports show.
  std::vector<smp::DeviceMemory> memory;
  smp::capi::Listed<smp_device_memory> memoryViews;
  std::vector<smp::StageTime> stageTimes;
  smp::capi::Listed<smp_stage_time> stageTimeViews;
  smp_load_time loadTime = {};
  smp::Session session; // Ends first: a step may still use the others.
};

#endif // SMP_RUNTIME_CAPI_HANDLES_H
