// SPDX-License-Identifier: Apache-2.0
#include "RunAdvice.h"
#include "smp/device/Communicator.h"
#include "smp/device/DeviceSpec.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/NamedFiles.h"
#include <cstdio>

namespace smp {

static std::string count(size_t number, const std::string &what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

Status checkDeadline(const RunOptions &options) {
  const double seconds = options.deadlineSeconds;
  if (seconds >= 0 && seconds <= kMostDeadlineSeconds)
    return Status();
  char text[96];
  std::snprintf(text, sizeof(text),
                "--deadline is %g; it must be from 0 (never) to %g", seconds,
                kMostDeadlineSeconds);
  return invalidArgument(text);
}

Status checkFiles(const RunOptions &options) {
  NamedFiles files;
  files.reads({options.program, options.secretFile});
  for (const auto &[name, path] : options.inputs)
    files.reads(path);
  for (const auto &[name, path] : options.outputs)
    files.writes("--output " + name, path);
  files.writes("--trace", options.trace);
  files.writes("--profile", options.profile);
  SMP_ASSIGN_OR_RETURN(const LoadedProgram loaded,
                       openProgram(options.program));
  files.reads(pathOfWeights(loaded.program(), options.program));
  return files.check();
}

Status checkDevices(const RunOptions &options) {
  if (options.devices.empty())
    return Status();
  SMP_ASSIGN_OR_RETURN(const std::vector<DeviceSpec> specs,
                       parseDeviceList(options.devices));
  SMP_ASSIGN_OR_RETURN(const LoadedProgram loaded,
                       openProgram(options.program));
  const size_t partitions = loaded.program().partitions;
  if (specs.size() == partitions)
    return Status();
  return invalidArgument(
      "--devices names " + count(specs.size(), "device") + ", " +
      options.devices + ", and the program has " +
      count(partitions, "partition") +
      "; name one device for each, or compile the model for them with "
      "smp-compile --partitions " +
      std::to_string(specs.size()));
}

/// "float32"; empty for what NumPy does not have.
static std::string numpyName(DType type) {
  const std::string name(toString(type));
  const std::string bits = name.substr(1);
  if (name == "bool")
    return name;
  return name[0] == 'f'   ? "float" + bits
         : name[0] == 'i' ? "int" + bits
         : name[0] == 'u' ? "uint" + bits
                          : "";
}

Status checkElements(const std::string &path, const HostTensor &tensor,
                     const TensorSignature &signature) {
  if (tensor.type.dtype == signature.dtype)
    return Status();
  const std::string name = numpyName(signature.dtype);
  return invalidArgument(
      "'" + path + "' is " + toString(tensor.type) + ", and input '" +
      signature.name + "' must be " + std::string(toString(signature.dtype)) +
      (name.empty() ? "" : "; in NumPy x.astype('" + name + "') makes it so"));
}

/// Whether it is that error, of the several that have its code.
static bool says(const Status &status, const std::string &words) {
  return status.message().find(words) != std::string::npos;
}

Status adviseOnLevel(const RunOptions &options, const Status &status) {
  if (options.level.empty() || !says(status, "none of which runs on device"))
    return status;
  return {status.code(),
          status.message() + "; or leave out --level " + options.level};
}

Status adviseOnInputs(const RunOptions &options, const EntrySignature &entry,
                      const Status &status) {
  if (!says(status, "entry '" + entry.name + "' needs input '"))
    return status;
  return {status.code(), status.message() +
                             "; --input NAME=FILE gives one, --random SEED "
                             "fills those that have no file"};
}

} // namespace smp
