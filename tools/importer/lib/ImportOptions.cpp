// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ImportOptions.h"
#include "mlir/IR/Diagnostics.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include "smp/tools/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace smp {

/// Cuts `name=value` at the last '='.
static Status split(const std::string &option, const std::string &word,
                    std::string &name, std::string &value) {
  size_t cut = word.rfind('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == word.size())
    return invalidArgument(
        option + " " + word + ": write " + option +
        " name=" + (option == "--dim" ? "8" : "x.npy or name=8"));
  name = word.substr(0, cut);
  value = word.substr(cut + 1);
  return Status();
}

namespace {
struct NamedSizes {
  std::string name;
  std::vector<int64_t> sizes; ///< One at least.
  bool isChoice() const { return sizes.size() > 1; }
};
} // namespace

static StatusOr<NamedSizes> readDim(const std::string &word) {
  NamedSizes dim;
  std::string values;
  SMP_RETURN_IF_ERROR(split("--dim", word, dim.name, values));
  for (llvm::StringRef value : llvm::split(values, ',')) {
    int64_t size = 0;
    if (value.getAsInteger(10, size) || size < 0)
      return invalidArgument("--dim " + word + ": '" + value.str() +
                             "' is no size; it must be a number >= 0");
    if (llvm::is_contained(dim.sizes, size))
      return invalidArgument("--dim " + word + " has " + value.str() +
                             " twice");
    dim.sizes.push_back(size);
  }
  if (dim.isChoice() && llvm::is_contained(dim.sizes, 0))
    return invalidArgument("--dim " + word +
                           ": a microbatch has one row at least");
  return dim;
}

StatusOr<std::vector<int64_t>> readSizes(const std::vector<std::string> &dims) {
  std::optional<std::string> first;
  std::vector<int64_t> sizes;
  for (const std::string &word : dims) {
    SMP_ASSIGN_OR_RETURN(const NamedSizes dim, readDim(word));
    if (!dim.isChoice())
      continue;
    if (first && dim.sizes != sizes)
      return invalidArgument("--dim " + *first + " and --dim " + word +
                             " have different sizes; all that have several "
                             "are what rows are along, and have the same");
    first = first.value_or(word);
    sizes = dim.sizes;
  }
  return sizes;
}

static Status addDim(const std::string &word, std::optional<int64_t> chosen,
                     OnnxOptions &options) {
  SMP_ASSIGN_OR_RETURN(const NamedSizes dim, readDim(word));
  if (dim.isChoice() && !chosen)
    return invalidArgument("--dim " + word +
                           " has several sizes, among which only smp-compile "
                           "--plan=auto chooses; give it one");
  const int64_t size = dim.isChoice() ? *chosen : dim.sizes.front();
  if (!options.dims.try_emplace(dim.name, size).second)
    return invalidArgument("--dim " + dim.name + " is given twice");
  return Status();
}

static bool isNumber(llvm::StringRef text) {
  double number;
  return text.equals_insensitive("true") || text.equals_insensitive("false") ||
         !text.getAsDouble(number, /*AllowInexact=*/true);
}

static Status addConstant(const std::string &word, OnnxOptions &options) {
  std::string name, value;
  SMP_RETURN_IF_ERROR(split("--constant", word, name, value));
  if (options.constants.count(name) || options.numbers.count(name))
    return invalidArgument("--constant " + name + " is given twice");
  if (isNumber(value)) {
    options.numbers[name] = value;
    return Status();
  }
  if (!llvm::sys::fs::exists(value))
    return invalidArgument("--constant " + word + ": '" + value +
                           "' is neither a number, as 16000, 0.5, 1e3 or true, "
                           "nor a .npy file that is there");
  SMP_ASSIGN_OR_RETURN(options.constants[name], readNpy(value));
  return Status();
}

static Status addBatch(const std::string &word, OnnxOptions &options) {
  auto [input, rest] = llvm::StringRef(word).rsplit('[');
  BatchAxis batch{input.str(), 0};
  if (input.empty() || !rest.consume_back("]") ||
      rest.getAsInteger(10, batch.axis))
    return invalidArgument("--batch " + word +
                           ": write --batch input[axis], as in --batch x[0]");
  options.batch.push_back(std::move(batch));
  return Status();
}

static Status addPins(const std::string &path, OnnxOptions &options) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  std::string error;
  auto pins = parsePins({reinterpret_cast<const char *>(file.bytes().data()),
                         file.bytes().size()},
                        error);
  if (!pins)
    return invalidArgument(path + ": " + error);
  options.pins = std::move(*pins);
  return Status();
}

StatusOr<OnnxOptions> readImportArguments(const ImportArguments &arguments) {
  OnnxOptions options;
  for (const std::string &word : arguments.dims)
    SMP_RETURN_IF_ERROR(addDim(word, arguments.size, options));
  for (const std::string &word : arguments.constants)
    SMP_RETURN_IF_ERROR(addConstant(word, options));
  for (const std::string &word : arguments.batch)
    SMP_RETURN_IF_ERROR(addBatch(word, options));
  if (!arguments.pins.empty())
    SMP_RETURN_IF_ERROR(addPins(arguments.pins, options));
  if (!arguments.externalData.empty() &&
      !llvm::sys::fs::is_directory(arguments.externalData))
    return invalidArgument("--external-data is '" + arguments.externalData +
                           "', which is no folder");
  options.externalData = arguments.externalData;
  options.trainable = arguments.trainable;
  options.configuration = arguments.configuration;
  options.partitions = arguments.partitions;
  return options;
}

StatusOr<ImportedModel> importModel(mlir::MLIRContext *context,
                                    const std::string &path,
                                    const OnnxOptions &options) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto model = importOnnx(context, path, options);
  if (succeeded(model))
    return std::move(*model);
  return invalidArgument(message);
}

Status writeWeights(const ir::WeightStore &weights, const std::string &path) {
  std::vector<SafetensorsTensor> tensors;
  for (const auto &[name, weight] : weights)
    tensors.push_back({name, weight.type, weight.bytes});
  if (tensors.empty())
    return Status();
  return writeSafetensors(tensors, {}, path).status();
}

} // namespace smp
