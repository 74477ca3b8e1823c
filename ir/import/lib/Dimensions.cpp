// SPDX-License-Identifier: Apache-2.0
#include "Dimensions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>

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
  return name.empty() || name == "?" || name == "None" || name == "s0" ||
         name == "-1" || name.starts_with("unk__") ||
         name.starts_with("unknown") || name.starts_with("DynamicDimension");
}

bool InputDim::isAnonymous() const { return isAnonymousName(symbol); }

StringRef InputDim::commonName() const {
  return isFixed || isAnonymous() ? StringRef() : StringRef(symbol);
}

static bool saysBatch(StringRef name) {
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

bool Dimensions::prepare(const onnx::GraphProto &graph,
                         const OnnxOptions &options, std::string &error) {
  llvm::StringSet<> initialised;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initialised.insert(tensor.name());
  for (const onnx::ValueInfoProto &info : graph.input()) {
    int rank = info.type().tensor_type().shape().dim_size();
    if (rank == 0 || initialised.contains(info.name()) ||
        !firstOf.try_emplace(info.name(), dims.size()).second)
      continue;
    for (int i = 0; i < rank; ++i)
      dims.push_back(readDim(info, i));
  }
  if (!bind(options, error) || !declareBatch(options.batch, error))
    return false;
  if (options.batch.empty())
    guessBatch(options);
  keepBatchSymbols();
  return true;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Each item once, in order: "a, b".
static std::string joinOnce(std::vector<std::string> items) {
  llvm::sort(items);
  items.erase(llvm::unique(items), items.end());
  return items.empty() ? "none" : llvm::join(items, ", ");
}

bool Dimensions::bindByName(const std::string &name, int64_t size,
                            std::string &error) {
  std::vector<InputDim *> named;
  std::vector<std::string> open, places;
  for (InputDim &dim : dims) {
    if (dim.isFixed)
      continue;
    open.push_back(dim.isAnonymous() ? dim.place() : dim.symbol);
    if (dim.symbol == name) {
      named.push_back(&dim);
      places.push_back(dim.place());
    }
  }
  if (named.empty()) {
    error = "has no symbolic dimension '" + name +
            "'; it has: " + joinOnce(std::move(open));
    return false;
  }
  if (named.size() > 1 && named.front()->isAnonymous()) {
    error = "has " + std::to_string(named.size()) +
            " dimensions without a name of their own that are called '" + name +
            "'; bind each by its place: --dim " +
            llvm::join(places, "=... --dim ") + "=...";
    return false;
  }
  for (InputDim *dim : named)
    dim->size = size;
  return true;
}

/// "x[0]" as an input and an axis.
static std::optional<std::pair<StringRef, int64_t>> parsePlace(StringRef text) {
  auto [input, rest] = text.rsplit('[');
  int64_t axis;
  if (!rest.consume_back("]") || rest.getAsInteger(10, axis))
    return std::nullopt;
  return std::pair(input, axis);
}

bool Dimensions::bind(const OnnxOptions &options, std::string &error) {
  std::vector<std::pair<InputDim *, int64_t>> byPlace;
  for (const auto &[name, size] : options.dims) {
    if (size < 0) {
      error =
          "dimension '" + name + "' cannot have size " + std::to_string(size);
      return false;
    }
    auto place = parsePlace(name);
    InputDim *dim = place ? find(place->first, place->second) : nullptr;
    if (!dim && !bindByName(name, size, error))
      return false;
    if (dim && dim->isFixed) {
      error = "fixes dimension " + name + " at " + std::to_string(*dim->size) +
              "; only one that it leaves open can be bound";
      return false;
    }
    if (dim)
      byPlace.emplace_back(dim, size);
  }
  for (auto [dim, size] : byPlace) // Says more than a name.
    dim->size = size;
  for (InputDim &dim : dims) {
    auto constant = options.constants.find(dim.input);
    if (dim.size)
      continue;
    if (options.numbers.count(dim.input))
      dim.size = 1;
    else if (constant != options.constants.end() &&
             int64_t(constant->second.type.shape.size()) == dim.rank)
      dim.size = constant->second.type.shape[size_t(dim.axis)];
  }
  return true;
}

/// A size that such a dimension is likely to take.
static int64_t exampleOf(const InputDim &dim) {
  StringRef name = dim.symbol;
  auto says = [&](std::initializer_list<StringRef> words) {
    return llvm::any_of(
        words, [&](StringRef word) { return name.contains_insensitive(word); });
  };
  if (saysBatch(name))
    return 1;
  if (says({"height", "width"}) || (dim.rank == 4 && dim.axis >= 2))
    return 224;
  if (says({"channel"}))
    return 3;
  if (says({"seq", "len", "time", "frame", "token"}))
    return 128;
  return dim.axis == 0 ? 1 : 16;
}

std::string Dimensions::describeUnbound() const {
  llvm::MapVector<StringRef, std::vector<const InputDim *>> symbols;
  std::deque<std::string> places; // What the map's keys borrow from.
  for (const InputDim &dim : dims) {
    if (dim.size)
      continue;
    StringRef name = dim.commonName();
    symbols[name.empty() ? StringRef(places.emplace_back(dim.place())) : name]
        .push_back(&dim);
  }
  if (symbols.empty())
    return {};
  std::string list, example;
  for (const auto &[name, where] : symbols) {
    list += (list.empty() ? "" : ", ") + name.str();
    if (!where.front()->isAnonymous())
      list += " (" +
              llvm::join(
                  llvm::map_range(
                      where, [](const InputDim *dim) { return dim->place(); }),
                  ", ") +
              ")";
    example += " --dim " + name.str() + "=" +
               std::to_string(exampleOf(*where.front()));
  }
  return "does not fix these dimensions: " + list + "; bind each, as in" +
         example;
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
/// no name does, its first if that has none.
void Dimensions::guessBatch(const OnnxOptions &options) {
  bool isNamed = llvm::any_of(dims, [](const InputDim &dim) {
    return !dim.isFixed && saysBatch(dim.symbol);
  });
  llvm::StringSet<> done;
  for (InputDim &dim : dims) {
    bool isBatch =
        isNamed ? saysBatch(dim.symbol) : dim.axis == 0 && dim.isAnonymous();
    if (!dim.isFixed && isBatch && !options.constants.count(dim.input) &&
        !options.numbers.count(dim.input))
      dim.isBatch = done.insert(dim.input).second;
  }
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
