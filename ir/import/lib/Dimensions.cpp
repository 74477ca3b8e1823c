// SPDX-License-Identifier: Apache-2.0
#include "Dimensions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string InputDim::place() const {
  return input + "[" + std::to_string(axis) + "]";
}

/// Exporters write such names where the user has given none.
static bool isAnonymousName(StringRef name) {
  return name.empty() || name == "?" || name == "None" || name == "-1" ||
         name.starts_with("unk__") || name.starts_with("unknown") ||
         name.starts_with("DynamicDimension");
}

bool InputDim::isAnonymous() const { return isAnonymousName(symbol); }

StringRef InputDim::commonName() const {
  return isFixed || isAnonymous() ? StringRef() : StringRef(symbol);
}

bool InputDim::saysBatch() const {
  StringRef name = symbol;
  return name.equals_insensitive("n") || name.equals_insensitive("b") ||
         name.equals_insensitive("bs") || name.contains_insensitive("batch");
}

InputDim *Dimensions::find(StringRef input, int64_t axis) {
  auto first = firstOf.find(input);
  if (first == firstOf.end() || axis < 0 || axis >= int64_t(of(input).size()))
    return nullptr;
  return &dims[first->second + size_t(axis)];
}

llvm::ArrayRef<InputDim> Dimensions::of(StringRef input) const {
  auto first = firstOf.find(input);
  if (first == firstOf.end())
    return {};
  return llvm::ArrayRef(dims).slice(first->second,
                                    size_t(dims[first->second].rank));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static InputDim readDim(const onnx::ValueInfoProto &info, int axis) {
  const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
  const auto &dim = shape.dim(axis);
  InputDim result{info.name(), axis, shape.dim_size()};
  result.symbol = dim.dim_param();
  // Some exporters write -1 for a size that is not known.
  result.isFixed = dim.has_dim_value() && dim.dim_value() != -1;
  if (result.isFixed)
    result.size = dim.dim_value();
  return result;
}

void Dimensions::read(const onnx::GraphProto &graph,
                      const OnnxOptions &options) {
  llvm::StringSet<> defaults;
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (!options.binds(tensor.name()))
      defaults.insert(tensor.name());
  for (const onnx::ValueInfoProto &info : graph.input()) {
    int rank = info.type().tensor_type().shape().dim_size();
    if (rank == 0 || defaults.contains(info.name()) ||
        !firstOf.try_emplace(info.name(), dims.size()).second)
      continue;
    for (int i = 0; i < rank; ++i)
      dims.push_back(readDim(info, i));
  }
  groupOpen();
}

/// A constant of another rank says nothing of its input's dimensions.
static bool checkRanks(const onnx::GraphProto &graph,
                       const OnnxOptions &options, std::string &error) {
  for (const onnx::ValueInfoProto &info : graph.input()) {
    auto constant = options.constants.find(info.name());
    const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
    if (constant == options.constants.end() || !tensor.has_shape())
      continue;
    const TensorType &type = constant->second.type;
    if (type.shape.size() == size_t(tensor.shape().dim_size()))
      continue;
    error = "input '" + info.name() + "' is of rank " +
            std::to_string(tensor.shape().dim_size()) +
            "; the constant for it is " + toString(type) + ", of rank " +
            std::to_string(type.shape.size());
    return false;
  }
  return true;
}

bool Dimensions::prepare(const onnx::GraphProto &graph,
                         const OnnxOptions &options, std::string &error) {
  read(graph, options);
  if (!checkRanks(graph, options, error) || !bind(options, error) ||
      !declareBatch(options.batch, error))
    return false;
  if (options.batch.empty())
    guessBatch(options);
  keepBatchSymbols();
  return true;
}

//===----------------------------------------------------------------------===//
// The batch
//===----------------------------------------------------------------------===//

/// What is called as a batch axis is called is one too.
bool Dimensions::declareBatch(const std::vector<BatchAxis> &axes,
                              std::string &error) {
  std::vector<InputDim *> declared;
  for (const BatchAxis &axis : axes) {
    InputDim *dim = find(axis.input, axis.axis);
    if (!dim) {
      std::vector<std::string> places;
      for (const InputDim &other : dims)
        places.push_back(other.place());
      error =
          "has no dimension " + axis.input + "[" + std::to_string(axis.axis) +
          "] to be the batch; its inputs have: " + joinOnce(std::move(places));
      return false;
    }
    declared.push_back(dim);
  }
  for (InputDim *axis : declared)
    axis->isBatch = true;
  keepBatchSymbols();
  const InputDim *last = nullptr;
  for (InputDim &dim : dims) {
    dim.isBatch |= batchSymbols.contains(dim.commonName());
    if (!dim.isBatch)
      continue;
    if (last && last->input == dim.input) {
      error = "cannot have both " + last->place() + " and " + dim.place() +
              " as the batch; an input has one batch axis";
      return false;
    }
    last = &dim;
  }
  return true;
}

void Dimensions::keepBatchSymbols() {
  for (const InputDim &dim : dims)
    if (dim.isBatch && !dim.commonName().empty())
      batchSymbols.insert(dim.commonName());
}

/// By default the first dimension of each input whose name says batch or, where
/// no name does, its first if that has none, or the one that torch's exporter
/// gives first.
void Dimensions::guessBatch(const OnnxOptions &options) {
  bool isNamed = llvm::any_of(dims, [](const InputDim &dim) {
    return !dim.isFixed && dim.saysBatch();
  });
  llvm::StringSet<> done;
  auto mark = [&](InputDim &dim) {
    if (!dim.isFixed && !options.binds(dim.input))
      dim.isBatch |= done.insert(dim.input).second;
  };
  for (InputDim &dim : dims)
    if (isNamed ? dim.saysBatch()
                : dim.axis == 0 && (dim.isAnonymous() || dim.symbol == "s0"))
      mark(dim);
  keepBatchSymbols();
  for (InputDim &dim : dims)
    if (batchSymbols.contains(dim.commonName()))
      mark(dim);
}

std::optional<int64_t> Dimensions::batchAxis(StringRef input) const {
  for (const InputDim &dim : of(input))
    if (dim.isBatch)
      return dim.axis;
  return std::nullopt;
}

bool Dimensions::hasBatch() const {
  return llvm::any_of(dims, [](const InputDim &dim) { return dim.isBatch; });
}

bool Dimensions::isBatchOpen() const {
  return llvm::none_of(
      dims, [](const InputDim &dim) { return dim.isBatch && dim.isFixed; });
}

std::optional<int64_t>
Dimensions::axisCalledBatch(const onnx::TensorShapeProto &shape) const {
  for (int i = 0; i < shape.dim_size(); ++i)
    if (batchSymbols.contains(shape.dim(i).dim_param()))
      return i;
  bool isAnonymous = shape.dim_size() && !shape.dim(0).has_dim_value() &&
                     isAnonymousName(shape.dim(0).dim_param());
  return isAnonymous && hasBatch() && batchSymbols.empty() ? std::optional(0)
                                                           : std::nullopt;
}

Dimensions Dimensions::withRows(int64_t factor) const {
  Dimensions more = *this;
  for (InputDim &dim : more.dims)
    if (dim.size && (dim.isBatch || batchSymbols.contains(dim.commonName())))
      *dim.size *= factor;
  return more;
}

} // namespace smp::frontend
