// SPDX-License-Identifier: Apache-2.0
// Trains a small convolutional network to name shapes in noise, as a pipeline
// over two devices, and tests it on pictures that it never saw.
//
// How to run it: kUsage below, and the script `run` beside this file.

#include "ConvModel.h"
#include "Shapes.h"
#include "Watching.h"
#include <filesystem>
#include <iostream>
#include <smp/compile/CompileModel.h>

using namespace conv_net;
using examples::valueOf;

constexpr char kUsage[] =
    "usage: conv_net [--steps N] [--stop-at N] [--save-every N]\n"
    "                [--folder FOLDER] [--devices LIST]\n"
    "Trains N steps (1000). FOLDER (conv_net) keeps checkpoints; training goes "
    "on from the\nlatest. --stop-at ends without saving, as if the machine had "
    "failed. Ctrl-C ends after\nsaving. LIST (cpu:0,cpu:1) has a device for "
    "each partition: cpu:0=0, cuda:0, cuda-emulator:0.";

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The mean loss, and the part of the pictures that were named rightly.
struct Outcome {
  double loss = 0, accuracy = 0;
};

static Outcome step(smp::Session &session, const char *entry,
                    const Pictures &pictures) {
  const auto output = valueOf(session.step(entry, pictures.inputs()));
  Outcome outcome;
  outcome.loss =
      double(valueOf(output.find("loss")->reduceMean()).as<float>()[0]);
  outcome.accuracy = double(pictures.countRight(*output.find("scores"))) /
                     double(pictures.count());
  return outcome;
}

static std::string toText(const Outcome &outcome) {
  char text[64];
  std::snprintf(text, sizeof(text), "loss %.4f, %.1f %% right", outcome.loss,
                outcome.accuracy * 100);
  return text;
}

static int run(const std::vector<std::string> &words) {
  examples::TrainingOptions options{"conv_net", "cpu:0,cpu:1", 1000};
  options.parse(words, {}, kUsage);
  std::filesystem::create_directories(options.folder);
  std::cout << "compiling" << std::endl;
  auto modelOptions = examples::optionsFor(options.devices);
  examples::showWhatIsWatched(modelOptions);
  const auto compiled = valueOf(smp::compile::compileModel(
      valueOf(buildModel(options.steps)), modelOptions));
  const auto program = valueOf(smp::SharedProgram::read(compiled.bytes()));
  auto session =
      valueOf(smp::Session::open(program, {.devices = options.devices}));

  int64_t done = 0;
  Outcome recent; // A mean of the last steps.
  smp::CheckpointManager manager(smp::Checkpoint{{"model", session},
                                                 {"optimizer", session},
                                                 {"state", session},
                                                 {"step", done},
                                                 {"loss", recent.loss},
                                                 {"accuracy", recent.accuracy}},
                                 {.directory = options.folder, .maxToKeep = 2});
  if (valueOf(manager.restore()))
    std::cout << "resumed after step " << done << std::endl;
  auto hook = examples::watch(session, /*resumes=*/done > 0);
  constexpr int64_t kCount = kBatch * kMicrobatches;
  const auto trainOnce = [&] {
    const Pictures pictures(/*seed=*/1, uint64_t(done * kCount), kCount);
    const Outcome now = step(session, "train", pictures);
    const double weight = 1 / double(std::min<int64_t>(done + 1, 20));
    recent.loss += weight * (now.loss - recent.loss);
    recent.accuracy += weight * (now.accuracy - recent.accuracy);
    return toText(recent);
  };
  const bool isDone =
      examples::train(options, done, {kCount, "pictures"}, manager, trainOnce);
  examples::close(hook);
  if (!isDone)
    return examples::interrupted() ? examples::kInterruptedStatus : 0;

  const Pictures unseen(/*seed=*/2, 0, 1024);
  std::cout << unseen.count() << " pictures that it never saw: "
            << toText(step(session, "eval", unseen)) << "\n";
  for (const smp::StageTime &stage : session.stageTimes())
    if (stage.entry == "train")
      std::printf("  device %u, stage %s: %.2f ms a run\n", stage.partition,
                  stage.stage.c_str(), stage.measuredSeconds * 1e3);
  return 0;
}

int main(int argc, char **argv) {
  return examples::runTraining("conv_net", argc, argv, run);
}
