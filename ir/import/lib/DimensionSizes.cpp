// SPDX-License-Identifier: Apache-2.0
// The sizes of dimensions that a model leaves open.

#include "Dimensions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace smp::frontend {

std::string joinOnce(std::vector<std::string> items) {
  llvm::sort(items);
  items.erase(llvm::unique(items), items.end());
  return items.empty() ? "none" : llvm::join(items, ", ");
}

void Dimensions::groupOpen() {
  llvm::StringMap<size_t> bySymbol;
  for (size_t i = 0; i < dims.size(); ++i) {
    InputDim &dim = dims[i];
    if (dim.isFixed)
      continue;
    StringRef symbol = dim.commonName();
    dim.open = symbol.empty()
                   ? opens.size()
                   : bySymbol.try_emplace(symbol, opens.size()).first->second;
    if (dim.open == opens.size())
      opens.push_back({symbol.empty() ? dim.place() : symbol.str(), {}, {}});
    opens[dim.open].dims.push_back(i);
  }
}

/// "n (x[0], u[1])", or "x[0]" for one without a name.
std::string Dimensions::describe(const OpenSize &open) const {
  if (dims[open.dims.front()].isAnonymous())
    return open.name;
  auto places =
      llvm::map_range(open.dims, [&](size_t i) { return dims[i].place(); });
  return open.name + " (" + llvm::join(places, ", ") + ")";
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Gives an open dimension, and those of its symbol, the size that `source`
/// says.
bool Dimensions::give(const InputDim &dim, int64_t size,
                      const std::string &source, std::string &error) {
  OpenSize &open = opens[dim.open];
  if (dim.size && *dim.size != size) {
    error = "cannot give dimension " + describe(open) +
            " two sizes: " + std::to_string(*dim.size) + " by " + open.source +
            ", and " + std::to_string(size) + " by " + source;
    return false;
  }
  open.source = source;
  for (size_t i : open.dims)
    dims[i].size = size;
  return true;
}

static std::string dimOption(const std::string &name, int64_t size) {
  return "--dim " + name + "=" + std::to_string(size);
}

bool Dimensions::bindByName(const std::string &name, int64_t size,
                            std::string &error) {
  std::vector<const InputDim *> named;
  std::vector<std::string> names, places;
  for (const OpenSize &open : opens) {
    const InputDim &first = dims[open.dims.front()];
    names.push_back(open.name);
    if (first.symbol != name)
      continue;
    named.push_back(&first);
    places.push_back(first.place());
  }
  if (named.empty()) {
    error = "has no symbolic dimension '" + name +
            "'; it has: " + joinOnce(std::move(names));
    return false;
  }
  if (named.size() > 1) {
    error = "has " + std::to_string(named.size()) +
            " dimensions without a name of their own that are called '" + name +
            "'; bind each by its place: --dim " +
            llvm::join(places, "=... --dim ") + "=...";
    return false;
  }
  return give(*named.front(), size, dimOption(name, size), error);
}

/// "x[0]" as an input and an axis.
static std::optional<std::pair<StringRef, int64_t>> parsePlace(StringRef text) {
  auto [input, rest] = text.rsplit('[');
  int64_t axis;
  if (!rest.consume_back("]") || rest.getAsInteger(10, axis))
    return std::nullopt;
  return std::pair(input, axis);
}

/// The dimensions of inputs that have a value are its.
bool Dimensions::bindValues(const OnnxOptions &options, std::string &error) {
  for (const InputDim &dim : dims) {
    auto number = options.numbers.find(dim.input);
    auto constant = options.constants.find(dim.input);
    if (dim.isFixed)
      continue;
    if (number != options.numbers.end() &&
        !give(dim, 1, "--constant " + dim.input + "=" + number->second, error))
      return false;
    if (constant == options.constants.end())
      continue;
    const TensorType &type = constant->second.type;
    if (!give(dim, type.shape[size_t(dim.axis)],
              "the constant for '" + dim.input + "', " + toString(type), error))
      return false;
  }
  return true;
}

bool Dimensions::bind(const OnnxOptions &options, std::string &error) {
  for (const auto &[name, size] : options.dims) {
    if (size < 0) {
      error =
          "dimension '" + name + "' cannot have size " + std::to_string(size);
      return false;
    }
    auto place = parsePlace(name);
    const InputDim *dim = place ? find(place->first, place->second) : nullptr;
    if (dim && dim->isFixed) {
      error = "fixes dimension " + name + " at " + std::to_string(*dim->size) +
              "; only one that it leaves open can be bound";
      return false;
    }
    if (dim ? !give(*dim, size, dimOption(name, size), error)
            : !bindByName(name, size, error))
      return false;
  }
  return bindValues(options, error);
}

//===----------------------------------------------------------------------===//
// What is not bound
//===----------------------------------------------------------------------===//

/// A size that such a dimension is likely to take.
static int64_t exampleOf(const InputDim &dim) {
  StringRef name = dim.symbol;
  auto says = [&](std::initializer_list<StringRef> words) {
    return llvm::any_of(
        words, [&](StringRef word) { return name.contains_insensitive(word); });
  };
  if (dim.saysBatch())
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
  std::vector<std::string> unbound;
  std::string example;
  for (const OpenSize &open : opens) {
    const InputDim &first = dims[open.dims.front()];
    if (first.size)
      continue;
    unbound.push_back(describe(open));
    example += " --dim " + open.name + "=" + std::to_string(exampleOf(first));
  }
  if (unbound.empty())
    return {};
  return "does not fix these dimensions: " + llvm::join(unbound, ", ") +
         "; bind each, as in" + example;
}

} // namespace smp::frontend
