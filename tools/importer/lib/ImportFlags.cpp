// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ImportFlags.h"
#include "smp/model/Config.h"

namespace cl = llvm::cl;

namespace smp {

Status checkPartitions(const cl::opt<int64_t> &partitions) {
  if (!partitions.getNumOccurrences() ||
      (partitions >= 1 && partitions <= kMostPartitions))
    return Status();
  return invalidArgument("--partitions is " + std::to_string(partitions) +
                         "; it must be at least 1 and at most " +
                         std::to_string(kMostPartitions));
}

ImportFlags::ImportFlags(cl::OptionCategory &category)
    : dims("dim", cl::value_desc("name=size"), cl::cat(category),
           cl::desc("Fix a dimension that the ONNX model leaves open, by name "
                    "or by place: --dim batch=1 --dim image[2]=224; several "
                    "sizes, as --dim batch=1,2,4, are for smp-compile "
                    "--plan=auto to choose from")),
      batch("batch", cl::value_desc("input[axis]"), cl::cat(category),
            cl::desc("What rows of a batch are along, of each input that has "
                     "them: a step may be given any number of microbatches. "
                     "Default: dimensions that are called batch")),
      constants("constant", cl::value_desc("name=value"), cl::cat(category),
                cl::desc("Fix an input, such as one that holds a shape or has "
                         "a default: a .npy "
                         "file or, for one element, a number")),
      trainable("trainable", cl::value_desc("glob"), cl::cat(category),
                cl::desc("Make the float initialisers of these names "
                         "parameters, and no others; default: weights and "
                         "biases of layers")),
      pins("pins", cl::value_desc("pins.json"), cl::cat(category),
           cl::desc("Pin nodes by name: {\"encoder/*\": 0, \"decoder/*\": 1}")),
      configuration(
          "configuration", cl::value_desc("name"), cl::cat(category),
          cl::desc("Which of the model's device configurations holds")),
      externalData(
          "external-data", cl::value_desc("folder"), cl::cat(category),
          cl::desc(
              "Another folder than the model's where its external data "
              "may be: paths and links that lead there are followed, and "
              "files that the model's folder lacks are looked for there")) {}

static std::vector<std::string> wordsOf(const cl::list<std::string> &list) {
  return std::vector<std::string>(list.begin(), list.end());
}

StatusOr<OnnxOptions> ImportFlags::read(int64_t partitions,
                                        std::optional<int64_t> size) const {
  return readImportArguments({wordsOf(dims), size, wordsOf(batch),
                              wordsOf(constants), wordsOf(trainable), pins,
                              configuration, partitions, externalData});
}

StatusOr<std::vector<int64_t>> ImportFlags::sizes() const {
  return readSizes(wordsOf(dims));
}

std::vector<std::string> ImportFlags::files() const {
  std::vector<std::string> paths = {pins};
  for (const std::string &word : constants)
    paths.push_back(word.substr(word.rfind('=') + 1));
  return paths;
}

std::string ImportFlags::given() const {
  // A cl::list's own & gives its values.
  const std::initializer_list<const cl::Option *> all = {
      std::addressof(dims),
      std::addressof(batch),
      std::addressof(constants),
      std::addressof(trainable),
      &pins,
      &configuration,
      &externalData};
  for (const cl::Option *option : all)
    if (option->getNumOccurrences())
      return option->ArgStr.str();
  return {};
}

} // namespace smp
