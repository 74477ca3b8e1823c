// SPDX-License-Identifier: Apache-2.0
// smp-conformance: runs ONNX's recorded cases and counts.

#include "Backend.h"
#include "Damaged.h"
#include "Isolated.h"
#include "Microbatched.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace smp;
using namespace smp::conformance;
namespace cl = llvm::cl;

static cl::OptionCategory category("Conformance");
static cl::list<std::string> suites(cl::Positional, cl::OneOrMore,
                                    cl::desc("folder of cases ..."),
                                    cl::cat(category));
enum class BackendKind {
  Reference,
  Exported,
  SavedModel,
  Compiled,
  Microbatched,
  Damaged
};
static cl::opt<BackendKind> backendKind(
    "backend", cl::cat(category), cl::init(BackendKind::Compiled),
    cl::desc("What runs the cases"),
    cl::values(clEnumValN(BackendKind::Reference, "reference",
                          "the importer and the reference evaluator"),
               clEnumValN(BackendKind::Exported, "exported",
                          "the same of what the model is exported to, or "
                          "refused"),
               clEnumValN(BackendKind::SavedModel, "saved-model",
                          "the importer and the reference evaluator, and the "
                          "model is exported for TensorFlow, or refused"),
               clEnumValN(BackendKind::Compiled, "compiled",
                          "the compiler and a Session"),
               clEnumValN(BackendKind::Microbatched, "microbatched",
                          "the same, given the rows in several microbatches: "
                          "as recorded, or refused"),
               clEnumValN(BackendKind::Damaged, "damaged",
                          "the importer alone, each byte changed in turn")));
static cl::list<std::string> exclusionPaths(
    "excluded", cl::cat(category),
    cl::desc("File of lines `case: reason`; such a case must not pass"));
static cl::opt<std::string>
    filter("filter", cl::init("*"), cl::cat(category),
           cl::desc("Only cases of these names (a glob)"));
static cl::opt<std::string>
    keptFolder("keep", cl::cat(category),
               cl::desc("Where exported models are kept; default: nowhere"));
static cl::opt<bool> verbose("v", cl::cat(category),
                             cl::desc("Say how each case went"));
static cl::opt<int> atLeast("at-least", cl::init(0), cl::cat(category),
                            cl::desc("Fail unless this many cases pass"));
static cl::opt<int>
    tryAtLeast("try-at-least", cl::init(0), cl::cat(category),
               cl::desc("Fail unless this many cases pass or are refused"));
static cl::opt<unsigned>
    jobs("jobs", cl::init(0), cl::cat(category),
         cl::desc("Processes at a time; 0: as many as there are cores"));

/// Inputs that may decide shapes: those of rank 0 or 1, integers first.
static std::map<std::string, HostTensor>
candidates(const std::vector<NamedTensor> &inputs, bool integersOnly) {
  std::map<std::string, HostTensor> bound;
  for (const NamedTensor &input : inputs)
    if (input.tensor.type.shape.size() <= 1 &&
        !(integersOnly && isFloat(input.tensor.type.dtype)))
      bound[input.name] = input.tensor;
  return bound;
}

/// Runs a case; where the importer needs a shape that is an input, binds the
/// inputs that can be one. Empty when the outputs are as recorded.
static std::string runCase(Backend &backend, const Case &test) {
  std::string error;
  auto data = readData(test, error);
  if (!data)
    return error;
  Outcome outcome = backend.run(test, data->inputs, {});
  for (bool integersOnly : {true, false})
    if (outcome.error.find("--constant") != std::string::npos)
      outcome = backend.run(test, data->inputs,
                            candidates(data->inputs, integersOnly));
  if (!outcome.error.empty())
    return outcome.error;
  if (outcome.outputs.size() != data->outputs.size())
    return "gives " + std::to_string(outcome.outputs.size()) + " outputs of " +
           std::to_string(data->outputs.size());
  for (size_t i = 0; i < outcome.outputs.size(); ++i)
    if (std::string difference =
            compare(data->outputs[i].tensor, outcome.outputs[i]);
        !difference.empty())
      return "output " + std::to_string(i) + " " + difference;
  return {};
}

namespace {
using Exclusions = std::map<std::string, std::string>;

struct Counts {
  int passed = 0, refused = 0, excluded = 0, failed = 0,
      passedThoughExcluded = 0;
};
} // namespace

/// Counts and tells how a case went: with an empty error, well.
static void judge(const Case &test, const std::string &error,
                  const Exclusions &exclusions, Counts &counts) {
  auto excluded = exclusions.find(test.name);
  bool isExcluded = excluded != exclusions.end();
  bool crashed = llvm::StringRef(error).starts_with("CRASHED");
  bool isRefused = llvm::StringRef(error).starts_with(kRefused);
  if (isRefused || llvm::StringRef(error).starts_with(kNoRows)) {
    counts.refused += isRefused;
    if (verbose)
      llvm::outs() << test.name << ": " << error << "\n";
  } else if (error.empty() && isExcluded) {
    ++counts.passedThoughExcluded;
    llvm::outs() << test.name
                 << ": passes, but is excluded: " << excluded->second << "\n";
  } else if (!error.empty() && (!isExcluded || crashed)) {
    ++counts.failed;
    llvm::outs() << test.name << ": FAILED: " << error << "\n";
  } else {
    ++(isExcluded ? counts.excluded : counts.passed);
    if (verbose)
      llvm::outs() << test.name << ": "
                   << (isExcluded ? "excluded: " + error : "ok") << "\n";
  }
}

/// What does with a case what the command line asks for.
static std::function<std::string(const Case &)> makeWork() {
  if (backendKind == BackendKind::Damaged)
    return importDamaged;
  if (backendKind == BackendKind::Microbatched)
    return runMicrobatched;
  std::shared_ptr<Backend> backend;
  if (backendKind == BackendKind::Reference)
    backend = makeReferenceBackend();
  else if (backendKind == BackendKind::Exported)
    backend = makeExportedBackend(keptFolder);
  else if (backendKind == BackendKind::SavedModel)
    backend = makeSavedModelBackend(keptFolder);
  else
    backend = makeCompiledBackend();
  return [=](const Case &test) { return runCase(*backend, test); };
}

/// Why the command line is no good, in `error`.
static std::optional<Exclusions> readAllExclusions(std::string &error) {
  Exclusions all;
  for (const std::string &path : exclusionPaths) {
    auto read = readExclusions(path, error);
    if (!read)
      return std::nullopt;
    for (auto &[name, reason] : *read)
      if (!all.emplace(name, std::move(reason)).second) {
        error = path + ": '" + name + "' is excluded twice";
        return std::nullopt;
      }
  }
  return all;
}

/// Tells of exclusions without a case; how many there are.
static size_t reportStale(const std::vector<Case> &cases,
                          const Exclusions &exclusions) {
  size_t count = 0;
  for (const auto &[name, reason] : exclusions)
    if (llvm::none_of(cases, [&](const Case &c) { return c.name == name; })) {
      llvm::outs() << name << ": is excluded, but no such case exists\n";
      ++count;
    }
  return count;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Runs ONNX's recorded test cases.\n");
  std::string error;
  auto exclusions = readAllExclusions(error);
  auto names = llvm::GlobPattern::create(filter, /*MaxSubPatterns=*/64);
  if (!names)
    error = "--filter: " + llvm::toString(names.takeError());
  if (!error.empty()) {
    llvm::errs() << error << "\n";
    return 1;
  }
  std::vector<Case> all, cases;
  for (const std::string &suite : suites)
    llvm::append_range(all, findCases(suite));
  llvm::copy_if(all, std::back_inserter(cases),
                [&](const Case &test) { return names->match(test.name); });
  auto work = makeWork();
  std::vector<std::string> results(cases.size());
  runIsolated(
      cases.size(), jobs ? jobs : std::thread::hardware_concurrency(),
      /*seconds=*/120, [&](size_t i) { return work(cases[i]); },
      [&](size_t i, std::string result) { results[i] = std::move(result); });
  Counts counts;
  for (auto [test, result] : llvm::zip_equal(cases, results))
    judge(test, result, *exclusions, counts);
  size_t stale = reportStale(all, *exclusions);
  llvm::outs() << counts.passed << " passed, " << counts.refused << " refused, "
               << counts.excluded << " excluded, " << counts.failed
               << " failed, " << counts.passedThoughExcluded
               << " excluded but passing\n";
  bool isGood = counts.failed == 0 && counts.passedThoughExcluded == 0 &&
                counts.passed >= atLeast &&
                counts.passed + counts.refused >= tryAtLeast && stale == 0;
  return isGood ? 0 : 1;
}
