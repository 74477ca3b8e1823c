// SPDX-License-Identifier: Apache-2.0
// smp-conformance: runs ONNX's recorded cases and counts.

#include "Backend.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace smp;
using namespace smp::conformance;
namespace cl = llvm::cl;

static cl::OptionCategory category("Conformance");
static cl::list<std::string> suites(cl::Positional, cl::OneOrMore,
                                    cl::desc("folder of cases ..."),
                                    cl::cat(category));
static cl::opt<std::string> exclusionsPath(
    "excluded", cl::cat(category),
    cl::desc("File of lines `case: reason`; such a case must not pass"));
static cl::opt<std::string>
    filter("filter", cl::init("*"), cl::cat(category),
           cl::desc("Only cases of these names (a glob)"));
static cl::opt<bool> verbose("v", cl::cat(category),
                             cl::desc("Say how each case went"));
static cl::opt<int> atLeast("at-least", cl::init(0), cl::cat(category),
                            cl::desc("Fail unless this many cases pass"));

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
struct Counts {
  int passed = 0, excluded = 0, failed = 0, passedThoughExcluded = 0;
};
} // namespace

static void runSuite(Backend &backend, const std::string &folder,
                     const llvm::GlobPattern &names,
                     std::map<std::string, std::string> &exclusions,
                     Counts &counts) {
  for (const Case &test : findCases(folder)) {
    if (!names.match(test.name))
      continue;
    std::string error = runCase(backend, test);
    auto excluded = exclusions.find(test.name);
    bool isExcluded = excluded != exclusions.end();
    if (error.empty())
      ++(isExcluded ? counts.passedThoughExcluded : counts.passed);
    else
      ++(isExcluded ? counts.excluded : counts.failed);
    if (error.empty() && isExcluded)
      llvm::outs() << test.name
                   << ": passes, but is excluded: " << excluded->second << "\n";
    else if (!error.empty() && !isExcluded)
      llvm::outs() << test.name << ": FAILED: " << error << "\n";
    else if (verbose)
      llvm::outs() << test.name << ": "
                   << (isExcluded ? "excluded: " + error : "ok") << "\n";
    exclusions.erase(test.name);
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Runs ONNX's recorded test cases.\n");
  std::string error;
  std::map<std::string, std::string> exclusions;
  if (!exclusionsPath.empty()) {
    auto read = readExclusions(exclusionsPath.getValue(), error);
    if (!read) {
      llvm::errs() << error << "\n";
      return 1;
    }
    exclusions = std::move(*read);
  }
  auto names = llvm::GlobPattern::create(filter);
  if (!names) {
    llvm::errs() << "--filter: " << llvm::toString(names.takeError()) << "\n";
    return 1;
  }
  auto backend = makeReferenceBackend();
  Counts counts;
  for (const std::string &suite : suites)
    runSuite(*backend, suite, *names, exclusions, counts);
  bool isWhole = filter == "*";
  for (const auto &[name, reason] : exclusions)
    if (isWhole)
      llvm::outs() << name << ": is excluded, but no such case exists\n";
  llvm::outs() << counts.passed << " passed, " << counts.excluded
               << " excluded, " << counts.failed << " failed, "
               << counts.passedThoughExcluded << " excluded but passing\n";
  bool isGood = counts.failed == 0 && counts.passedThoughExcluded == 0 &&
                counts.passed >= atLeast && (exclusions.empty() || !isWhole);
  return isGood ? 0 : 1;
}
