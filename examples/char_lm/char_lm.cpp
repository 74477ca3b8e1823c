// SPDX-License-Identifier: Apache-2.0
// Trains a transformer to continue a text, character by character, as a
// pipeline over two devices; stops, resumes, and writes a sample.
//
// How to run it: kUsage below, and the script `run` beside this file.

#include "CharModel.h"
#include "LossCurve.h"
#include "TextData.h"
#include "Watching.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <smp/base/AtomicFile.h>
#include <smp/compile/CompileModel.h>
#include <smp/runtime/Session.h>

using namespace char_lm;
using examples::check;
using examples::valueOf;

constexpr char kUsage[] =
    "usage: char_lm [--text FILE] [--folder FOLDER] [--steps N] [--stop-at N]\n"
    "               [--save-every N] [--sample N] [--devices LIST]\n"
    "               [--layers N] [--width N] [--block N] [--replay N]\n"
    "Trains N steps (400) on FILE, by default the licence texts of this "
    "machine.\nFOLDER (char_lm) keeps checkpoints; training goes on from the "
    "latest. --stop-at ends\nwithout saving, as if the machine had failed. "
    "Ctrl-C ends after saving.\nLIST (cpu:0,cpu:1) has a device for each "
    "partition: cpu:0=0, cuda:0, cuda-emulator:0.\nThe model has 4 layers of "
    "width 128, a multiple of 4, and looks back 64 "
    "characters.\n--replay N makes step N once more, from a checkpoint before "
    "it, and writes all that\nit computes to FOLDER/replay: see smp-trial.";

struct Options : examples::TrainingOptions {
  std::string text;
  int64_t sample = 300;
  int64_t replay = 0; // The step; 0: none.
  Shape shape;
};

/// All of the step, whose number in files is one less, as these begin with 0.
static smp::HookConfig replayConfig(const Options &options) {
  smp::HookConfig config{.outDir = options.folder + "/replay", .saveAll = true};
  config.saveConfig.endStep = 0;
  config.saveConfig.saveSteps = std::vector<int64_t>{options.replay - 1};
  return config;
}

class Trainer {
public:
  Trainer(const Options &options, const Text &text,
          const smp::SharedProgram &program)
      : options(options), text(text), shape(options.shape),
        session(
            valueOf(smp::Session::open(program, {.devices = options.devices}))),
        manager(smp::Checkpoint{{"model", session},
                                {"optimizer", session},
                                {"step", step}},
                {.directory = options.folder, .maxToKeep = 3}) {
    std::ifstream file(lossFile(), std::ios::binary);
    for (float loss; file.read(reinterpret_cast<char *>(&loss), sizeof(loss));)
      earlier.push_back(loss);
  }

  /// Trains from the last checkpoint to the last step, or until it is to stop.
  /// True when it is done.
  bool run() {
    if (valueOf(manager.restore()))
      std::cout << "resumed after step " << step << std::endl;
    else
      earlier.clear();
    losses = earlier;
    losses.resize(std::min(losses.size(), size_t(step)));
    auto hook = examples::watch(session, /*resumes=*/step > 0);
    const bool isDone = examples::train(
        options, step,
        {shape.batch * shape.microbatches * shape.block, "characters"}, manager,
        [this] { return trainOnce(); });
    examples::close(hook);
    if (compared)
      std::cout << "\nof " << compared << " losses known from before the stop, "
                << differing << " differ\n";
    return isDone;
  }

  /// Makes a step of the run once more, which a hook watches.
  void replay() {
    rewind();
    std::cout << "from the checkpoint after step " << step << std::endl;
    smp::HookOptions hookOptions;
    hookOptions.resume = true; // What another replay left is replaced.
    hookOptions.bufferBytes = uint64_t(1) << 30;
    hookOptions.log = examples::say;
    smp::Hook hook(replayConfig(options), hookOptions);
    check(hook.attach(session));
    for (; step < options.replay; ++step)
      makeStep();
    check(hook.close());
    std::cout << "of " << compared << " losses known from the run, "
              << differing << " differ\n";
  }

  bool isSound() const { return differing == 0; }
  const std::vector<float> &curve() const { return losses; }

  /// The mean loss of a character of the text's last tenth.
  double validate() {
    Batch batch(shape.block);
    const auto block = size_t(shape.block);
    for (size_t at = text.trainingSize(); at + block < text.tokens.size();
         at += block)
      batch.add(text.tokens, at);
    const auto output = valueOf(session.step("eval", batch.inputs()));
    double sum = 0;
    for (const float loss : valueOf(output.values<float>("loss")))
      sum += double(loss);
    return sum / double(batch.tokens.size());
  }

  /// Continues the beginning of the text.
  std::string sample() {
    std::vector<int64_t> tokens(text.tokens.begin(),
                                text.tokens.begin() + shape.block);
    std::string written;
    const int64_t dims[] = {1, shape.block};
    for (int64_t i = 0; i < options.sample; ++i) {
      const smp::InputTensor input{"tokens",
                                   {smp::DType::I64, dims, tokens.data()}};
      const auto output = valueOf(session.step("predict", {&input, 1}));
      const auto scores = valueOf(output.values<float>("scores"))
                              .last(size_t(shape.characters));
      double total = 0;
      for (int64_t c = 0; c < shape.characters; ++c)
        total += std::exp(double(scores[c]));
      double chance = double(randomOf(uint64_t(i), 0)) * 0x1p-64 * total;
      int64_t next = 0;
      while (next + 1 < shape.characters &&
             (chance -= std::exp(double(scores[next]))) > 0)
        ++next;
      written += text.characters[size_t(next)];
      tokens.erase(tokens.begin());
      tokens.push_back(next);
    }
    return written;
  }

private:
  /// To the newest checkpoint that is from before the step.
  void rewind() {
    const auto names = manager.checkpoints();
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      valueOf(manager.restore({.name = *name}));
      if (step < options.replay)
        return;
    }
    throw std::runtime_error(
        "no checkpoint in " + options.folder + " is from before step " +
        std::to_string(options.replay) +
        "; the last three are kept, one every --save-every steps");
  }

  std::string lossFile() const { return options.folder + "/losses.f32"; }

  /// One step; its loss.
  float makeStep() {
    Batch batch(shape.block);
    const size_t starts = text.trainingSize() - size_t(shape.block);
    for (int64_t i = 0; i < shape.batch * shape.microbatches; ++i)
      batch.add(text.tokens,
                size_t(randomOf(uint64_t(step), uint64_t(i)) % starts));
    const auto output = valueOf(session.step("train", batch.inputs()));
    const float mean =
        valueOf(output.find("loss")->reduceMean()).as<float>()[0];
    if (size_t(step) < earlier.size()) {
      ++compared;
      differing += earlier[size_t(step)] != mean;
    }
    return mean;
  }

  /// The same; what is said of it.
  std::string trainOnce() {
    const float mean = makeStep();
    losses.push_back(mean);
    // Now: the program may be killed in the next step.
    check(smp::writeFile(lossFile(), std::as_bytes(std::span(losses))));
    char said[32];
    std::snprintf(said, sizeof(said), "loss %.4f", double(mean));
    return said;
  }

  const Options &options;
  const Text &text;
  const Shape &shape;
  int64_t step = 0;
  smp::Session session;
  smp::CheckpointManager manager;
  std::vector<float> earlier, losses; // By step; `earlier` of the run before.
  int64_t compared = 0, differing = 0;
};

static int run(const std::vector<std::string> &words) {
  Options options{{"char_lm", "cpu:0,cpu:1", 400}, "", 300, 0, {}};
  Shape &shape = options.shape;
  options.parse(words,
                {{"--text", &options.text},
                 {"--sample", &options.sample},
                 {"--replay", &options.replay},
                 {"--layers", &shape.layers},
                 {"--width", &shape.width},
                 {"--block", &shape.block}},
                kUsage);
  if (shape.width % shape.heads != 0)
    throw std::runtime_error("--width takes a multiple of " +
                             std::to_string(shape.heads) + ", not " +
                             std::to_string(shape.width));
  std::filesystem::create_directories(options.folder);
  const Text text(options.text);
  shape.characters = int64_t(text.characters.size());
  shape.batch = 3;
  shape.microbatches = 4;
  shape.steps = options.steps;
  std::cout << text.tokens.size() << " characters, " << text.characters.size()
            << " different ones; compiling" << std::endl;
  auto modelOptions = examples::optionsFor(options.devices);
  if (options.replay)
    examples::showWhat(replayConfig(options), modelOptions);
  else
    examples::showWhatIsWatched(modelOptions);
  const auto compiled = valueOf(
      smp::compile::compileModel(valueOf(buildModel(shape)), modelOptions));
  const auto program = valueOf(smp::SharedProgram::read(compiled.bytes()));
  Trainer trainer(options, text, program);
  if (options.replay) {
    trainer.replay();
    return trainer.isSound() ? 0 : 1;
  }
  const bool isDone = trainer.run();
  if (!trainer.isSound())
    return 1;
  if (!isDone)
    return examples::interrupted() ? examples::kInterruptedStatus : 0;
  const std::string picture = options.folder + "/loss.svg";
  std::cout << drawText(trainer.curve()) << "validation loss "
            << trainer.validate() << "\n";
  check(smp::writeFile(picture, drawSvg(trainer.curve())));
  std::cout << "the curve is in " << picture << "; a sample:\n\n"
            << trainer.sample() << "\n";
  return std::cout.flush() ? 0 : 1;
}

int main(int argc, char **argv) {
  return examples::runTraining("char_lm", argc, argv, run);
}
