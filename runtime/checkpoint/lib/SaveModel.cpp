// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/SaveModel.h"
#include "RankLane.h"
#include "smp/base/MakeFolders.h"
#include "smp/exec/RunnableProgram.h"
#include "smp/exec/SessionCore.h"
#include "smp/model/HostMemory.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/WeightsPath.h"
#include <cerrno>

namespace smp {

static constexpr const char *kProgramFile = "program.smp",
                            *kWeightsFile = "model.safetensors",
                            *kProgramKey = "smp.program";

/// Whether a call that was killed may have left the weights.
static bool isOurs(FileSystem &files, const std::string &weights) {
  const auto file = MappedFile::open(weights, files);
  if (!file.ok())
    return false;
  const auto tensors = Safetensors::parse(file->bytes());
  return tensors.ok() && tensors->metadata().contains(kProgramKey);
}

namespace {

/// One call, as one rank makes it.
class ModelSaving {
public:
  ModelSaving(SessionCore &session, const std::string &folder, RankGroup group,
              FileSystem &files)
      : session(session), runnable(session.program()), folder(folder),
        group(group), files(files), values(program().variables.size()) {
    listGathered();
  }

  StatusOr<std::string> run() {
    const Status ready = group.isFirst() ? makeRoom() : Status();
    SMP_RETURN_IF_ERROR(group.agree("saveModel", ready, "").status());
    SMP_RETURN_IF_ERROR(gather());
    const Status written = group.isFirst() ? write() : Status();
    const Status told =
        group.hearFirst(written, "", secondsFor(bytes)).status();
    SMP_RETURN_IF_ERROR(written);
    if (group.isFirst() && !told.ok()) // It is there all the same.
      session.log(LogLevel::Warning, told.message());
    else
      SMP_RETURN_IF_ERROR(told);
    return pathOf(kProgramFile);
  }

private:
  const Program &program() const { return runnable->program(); }
  std::string pathOf(const char *file) const { return folder + "/" + file; }
  StatusOr<bool> isThere(const char *file) const {
    uint64_t ignored;
    const int error = files.size(pathOf(file), ignored);
    if (error == ENOENT || error == ENOTDIR)
      return false;
    SMP_RETURN_IF_ERROR(failedTo("look at", pathOf(file), error));
    return true;
  }

  struct Gathered {
    uint32_t variable, rank;
    uint64_t bytes;
  };

  static bool isLatest(const Variable &variable) {
    return variable.kind == VariableKind::Parameter ||
           variable.kind == VariableKind::State;
  }

  void listGathered() {
    const std::vector<uint32_t> ranks = session.variableRanks();
    size_t shown = 0; // Accumulators are not among those of the Session.
    for (uint32_t i = 0; i < program().variables.size(); ++i) {
      const Variable &variable = program().variables[i];
      if (variable.kind == VariableKind::Accumulator)
        continue;
      const uint32_t rank = ranks[shown++];
      if (!isLatest(variable))
        continue;
      gathered.push_back({i, rank, uint64_t(variable.type.bytes())});
      bytes += gathered.back().bytes;
    }
  }

  /// On rank 0: that there is a place for the files and what goes into them.
  /// The folder is synced: a program that was moved away is not there again
  /// after a power cut, with weights of another.
  Status makeRoom() {
    SMP_RETURN_IF_ERROR(refusePickle(folder));
    SMP_ASSIGN_OR_RETURN(const bool hasProgram, isThere(kProgramFile));
    SMP_ASSIGN_OR_RETURN(const bool hasWeights, isThere(kWeightsFile));
    if (hasProgram)
      return failedPrecondition("there is a model in '" + folder +
                                "', which is not replaced; move '" +
                                pathOf(kProgramFile) + "' and '" +
                                kWeightsFile + "' away, or give another path");
    const std::string weights = pathOf(kWeightsFile);
    if (hasWeights && !isOurs(files, weights))
      return failedPrecondition(
          "'" + weights +
          "' is there and not of smp, so it is not replaced; move it away, or "
          "give another path");
    if (std::string lack = checkMemory(bytes); !lack.empty())
      return resourceExhausted("saveModel " + lack);
    return makeFolders(files, folder);
  }

  Status gather() {
    for (const Gathered &each : gathered) {
      const bool isMine = group.rank() == each.rank;
      if (!isMine && !group.isFirst())
        continue;
      std::vector<std::byte> &value = values[each.variable];
      value.resize(size_t(each.bytes));
      if (!isMine) {
        SMP_RETURN_IF_ERROR(group.receive(each.rank, value));
        continue;
      }
      if (Status got = session.getVariable(
              program().variables[each.variable].name, value);
          !got.ok())
        return group.fail(std::move(got));
      if (group.isFirst())
        continue;
      SMP_RETURN_IF_ERROR(group.sendFirst(value));
      value = {};
    }
    return Status();
  }

  /// The weights, and then the program that names them.
  Status write() {
    Program saved = program();
    std::vector<SafetensorsTensor> tensors;
    for (uint32_t i = 0; i < saved.variables.size(); ++i) {
      Variable &variable = saved.variables[i];
      if (isLatest(variable))
        tensors.push_back({variable.name, variable.type, values[i]});
      else if (variable.initializer.kind == Initializer::Kind::Stored) {
        SMP_ASSIGN_OR_RETURN(const auto first, runnable->initialValue(i));
        tensors.push_back({variable.name, variable.type, first});
      } else
        continue;
      variable.initializer = {};
    }
    saved.weights = {};
    saved.weightBytes = {};
    if (!tensors.empty()) {
      SMP_ASSIGN_OR_RETURN(const FileDigest digest,
                           writeSafetensors(tensors,
                                            {{kProgramKey, kProgramFile}},
                                            pathOf(kWeightsFile), files));
      saved.weights = {kWeightsFile, digest.size, digest.crc32c};
    }
    return writeProgram(saved, pathOf(kProgramFile), files);
  }

  SessionCore &session;
  const std::shared_ptr<RunnableProgram> runnable; // The Session's too.
  const std::string folder;
  RankGroup group;
  FileSystem &files;
  std::vector<Gathered> gathered;             // In the order of variables.
  uint64_t bytes = 0;                         // Of those.
  std::vector<std::vector<std::byte>> values; // By variable.
};

} // namespace

StatusOr<std::string> saveModel(SessionCore &session, const std::string &path) {
  return saveModel(session, path, FileSystem::uncachedDisk());
}

StatusOr<std::string> saveModel(SessionCore &session, const std::string &path,
                                FileSystem &files) {
  if (path.empty())
    return invalidArgument("saveModel: the path is empty; give that of a "
                           "folder, as '/opt/ml/model'");
  const Checkpoint checkpoint(session);
  SMP_ASSIGN_OR_RETURN(const RankLane lane, RankLane::open(checkpoint));
  return ModelSaving(session, path, lane.meet(1), files).run();
}

} // namespace smp
