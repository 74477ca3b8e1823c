// SPDX-License-Identifier: Apache-2.0
// make-models-to-export FOLDER: programs, checkpoints and saved models of two
// networks with weights from a rule, and what they give.
//
// Below the folder of each network: program.smp, as it was compiled;
// ckpt-1.*, a checkpoint; model/, what saveModel() writes; x.npy and y.npy.
#include "CharModel.h"
#include "Machine.h"
#include "Networks.h"
#include "SeededValues.h"
#include "smp/base/AtomicFile.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/checkpoint/SaveModel.h"
#include "smp/compile/CompileModel.h"
#include "smp/runtime/Session.h"
#include "smp/tools/Npy.h"
#include <cstdio>

using namespace smp;
using namespace smp::test;

static Status setWeights(Session &session) {
  for (const VariableSignature &variable : session.variables())
    if (variable.kind == "parameter" || variable.kind == "state") {
      const HostTensor value = seededVariable(variable.name, variable.shape);
      SMP_RETURN_IF_ERROR(session.setVariable(
          variable.name,
          {value.type.dtype, value.type.shape, value.bytes.data()}));
    }
  return Status();
}

static Status writeResults(Session &session, const HostTensor &x,
                           const std::string &folder) {
  std::string input;
  for (const EntrySignature &entry : session.entries())
    if (entry.name == "predict")
      input = entry.inputs.front().name;
  const InputTensor inputs[] = {
      {input, {x.type.dtype, x.type.shape, x.bytes.data()}}};
  SMP_ASSIGN_OR_RETURN(const StepOutput output,
                       session.step("predict", inputs));
  const OutputTensor &y = output.all().front();
  SMP_RETURN_IF_ERROR(writeNpy(x.type, x.bytes, folder + "/x.npy"));
  return writeNpy({y.dtype, {y.shape.begin(), y.shape.end()}},
                  {static_cast<const std::byte *>(y.data), y.bytes},
                  folder + "/y.npy");
}

/// `folder` is made by saveModel().
static Status makeModel(StatusOr<Model> model, const HostTensor &x,
                        const std::string &folder) {
  SMP_RETURN_IF_ERROR(model.status());
  compile::ModelOptions options;
  options.levels = {cpuMachine().levels.back()};
  SMP_ASSIGN_OR_RETURN(const compile::CompiledModel program,
                       compile::compileModel(model.take(), options));
  SMP_ASSIGN_OR_RETURN(const SharedProgram shared,
                       SharedProgram::read(program.bytes()));
  SMP_ASSIGN_OR_RETURN(Session session, Session::open(shared));
  SMP_RETURN_IF_ERROR(setWeights(session));
  SMP_RETURN_IF_ERROR(saveModel(session, folder + "/model").status());
  CheckpointManager manager(session, {.directory = folder});
  SMP_RETURN_IF_ERROR(manager.save().status());
  SMP_RETURN_IF_ERROR(writeFile(folder + "/program.smp", program.bytes()));
  return writeResults(session, x, folder);
}

static Status makeModels(const std::string &folder) {
  char_lm::Shape shape;
  shape.characters = 65;
  SMP_RETURN_IF_ERROR(makeModel(char_lm::buildModel(shape),
                                seededClasses("tokens", {1, shape.block}, 65),
                                folder + "/char"));
  return makeModel(buildResidualPredictor(), residualNetwork().x,
                   folder + "/resnet18");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-models-to-export FOLDER\n");
    return 2;
  }
  const Status status = makeModels(argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "make-models-to-export: %s\n",
                 status.message().c_str());
  return status.ok() ? 0 : 1;
}
