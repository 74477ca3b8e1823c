// SPDX-License-Identifier: Apache-2.0
// usage: write_capture FOLDER: has a hook write FOLDER/run over steps of three
// modes of a program, which it writes to FOLDER/steps.smp, and a tensor of each
// element type into FOLDER/types; and the hooks of two ranks, each what it
// shows, microbatches apart, FOLDER/workers. What is to be found there is known
// to the scripts smdebug and tensorboard.
//
// usage: write_capture FOLDER OFFSET: the run goes on in FOLDER/run: its steps
// are made again, with inputs that are so much greater.
#include "CaptureFolder.h"
#include "RankThreads.h"
#include "TestPrograms.h"
#include "smp/base/AtomicFile.h"
#include "smp/capture/Hook.h"
#include "smp/runtime/Session.h"
#include <cstdio>
#include <cstdlib>

using namespace smp;
using namespace smp::test;

namespace {

/// Entries train (outputs loss and y), eval (loss) and predict (y), all twice x
/// plus one.
Status openSteps(ProgramMaker &maker, std::optional<Session> &session) {
  const Entry first = maker.entry();
  auto add = [&](const char *name, Mode mode,
                 std::vector<std::string> outputs) {
    Entry entry = first;
    entry.name = name;
    entry.mode = mode;
    entry.outputs.assign(outputs.size(), first.outputs[0]);
    entry.edges.back().to.clear();
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      entry.outputs[i].name = outputs[i];
      entry.edges.back().to.push_back({kCaller, i});
    }
    maker.program.entries.push_back(std::move(entry));
  };
  add("train", Mode::Train, {"loss", "y"});
  add("eval", Mode::Eval, {"loss"});
  add("predict", Mode::Predict, {"y"});
  maker.program.entries.erase(maker.program.entries.begin());
  SMP_RETURN_IF_ERROR(maker.finish().status());
  SMP_ASSIGN_OR_RETURN(const SharedProgram program,
                       SharedProgram::read(maker.file()));
  SMP_ASSIGN_OR_RETURN(session, Session::open(program));
  return Status();
}

Status writeRun(const std::string &folder, float offset, bool resume) {
  const auto maker = makeChain(1);
  std::optional<Session> session;
  SMP_RETURN_IF_ERROR(openSteps(*maker, session));
  SMP_RETURN_IF_ERROR(
      writeFile(parentFolder(folder) + "/steps.smp", maker->file()));
  HookConfig config{.outDir = folder,
                    .includeRegex = {"^y$"},
                    .saveConfig = {{.saveInterval = 2}}};
  config.exportTensorboard = true;
  config.saveConfig.of(Mode::Eval).saveInterval = 1;
  config.collections = {
      {.name = "numbers",
       .tensorNames = {"y"},
       .saveConfig = {{.saveInterval = 3}},
       .reductionConfig =
           ReductionConfig{.reductions = {{TensorReduction::Kind::Mean},
                                          {TensorReduction::Kind::Std},
                                          {TensorReduction::Kind::Quantile},
                                          {TensorReduction::Kind::L2, true}}}}};
  Hook hook(config, {.resume = resume});
  SMP_RETURN_IF_ERROR(hook.registerLoss("loss"));
  SMP_RETURN_IF_ERROR(hook.attach(*session));
  for (int step = 0; step < 20; ++step) {
    const char *entry = step % 5 == 4   ? "eval"
                        : step % 5 == 3 ? "predict"
                                        : "train";
    const TestTensor x({2, 8}, float(step) + offset);
    SMP_RETURN_IF_ERROR(session->step(entry, std::vector{x.as("x")}).status());
    if (step == 7)
      SMP_RETURN_IF_ERROR(hook.saveScalar("accuracy", 0.25));
    SMP_RETURN_IF_ERROR(
        hook.saveTensor("given", x.as("given").tensor, {"numbers", "outputs"}));
  }
  return hook.close();
}

/// Rank 0 shows v0, rank 1 v1; both have y.
Status writeRank(const std::string &path, Communicator &communicator) {
  const auto maker = makeChain(2);
  showStages(*maker);
  SMP_RETURN_IF_ERROR(maker->finish().status());
  SMP_ASSIGN_OR_RETURN(const SharedProgram program,
                       SharedProgram::read(maker->file()));
  SessionOptions options;
  options.devices = "0/cpu:0,1/cpu:0";
  options.communicator = &communicator;
  SMP_ASSIGN_OR_RETURN(Session session, Session::open(program, options));
  Hook hook({.outDir = path,
             .saveAll = true,
             .includeWorkers = "all",
             .microbatchesApart = true,
             .saveConfig = {{.saveInterval = 3}}});
  SMP_RETURN_IF_ERROR(hook.attach(session));
  for (int step = 0; step < 10; ++step) {
    const TestTensor x({4, 8}, float(step));
    SMP_RETURN_IF_ERROR(
        session.step("predict", std::vector{x.as("x")}).status());
  }
  return hook.close();
}

Status writeWorkers(const std::string &path) {
  Status statuses[2];
  onThreads(2, [&](Communicator &communicator) {
    statuses[communicator.rank()] = writeRank(path, communicator);
  });
  return statuses[0].ok() ? statuses[1] : statuses[0];
}

/// A tensor of every type, whose elements are the bytes 1 to 16, or 0 and 1.
Status writeTypes(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const CaptureFolder folder,
                       CaptureFolder::open(path, /*resume=*/false));
  StepRecords records;
  records.begin({.wallTime = 1.5});
  for (const DType dtype :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32,
        DType::I16, DType::I8, DType::U64, DType::U32, DType::U16, DType::U8,
        DType::Bool}) {
    std::vector<std::byte> bytes(16);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte(dtype == DType::Bool ? i % 2 : i + 1);
    const int64_t shape[] = {int64_t(bytes.size() / sizeOf(dtype)), 1};
    RecordOfName name{std::string(toString(dtype))};
    SMP_RETURN_IF_ERROR(records.addTensor(name, {dtype, shape, bytes}));
  }
  const int64_t shape[] = {3, 4};
  records.addShape(RecordOfName("shape"), shape);
  SMP_RETURN_IF_ERROR(folder.writeCollections(
      "{\"collections\": {}, \"_meta\": {\"num_workers\": 1}}"));
  SMP_RETURN_IF_ERROR(folder.writeStep(records).status());
  return folder.writeEnd();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: write_capture FOLDER [OFFSET]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const bool resume = argc == 3;
  Status status = writeRun(folder + "/run",
                           resume ? std::strtof(argv[2], nullptr) : 0, resume);
  if (status.ok() && !resume)
    status = writeTypes(folder + "/types");
  if (status.ok() && !resume)
    status = writeWorkers(folder + "/workers");
  if (status.ok())
    return 0;
  std::fprintf(stderr, "write_capture: %s\n", status.message().c_str());
  return 1;
}
