// SPDX-License-Identifier: Apache-2.0
// What no kernel may have, found in the text that devices get.

#include "smp/codegen/cuda/Ptx.h"
#include "llvm/ADT/StringExtras.h"

namespace smp::codegen::cuda {

using llvm::StringRef;

static bool isFloat(StringRef part) {
  return part.starts_with("f16") || part.starts_with("f32") ||
         part.starts_with("f64") || part.starts_with("bf16");
}

/// Why the instruction `name` ("add.rn.f32") must not be there, or null.
static const char *refusalOf(StringRef name) {
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '.');
  const StringRef verb = parts.front();
  const bool computesFloats = llvm::any_of(parts, isFloat);
  if (llvm::is_contained(parts, "ftz"))
    return "flushes subnormal numbers";
  if (llvm::is_contained(parts, "approx") || llvm::is_contained(parts, "full"))
    return "approximates";
  const bool isArithmetic = llvm::is_contained(
      {"add", "sub", "mul", "mad", "fma", "div", "sqrt", "rcp", "rsqrt"}, verb);
  if (isArithmetic && computesFloats && !llvm::is_contained(parts, "rn"))
    return "is not rounded explicitly";
  if ((verb == "atom" || verb == "red") && computesFloats)
    return "depends on the order of arrival";
  return nullptr;
}

/// Without a guard ("@%p1 ") and a label.
static StringRef instructionOf(StringRef line) {
  line = line.ltrim();
  if (line.starts_with("@"))
    line = line.split(' ').second.ltrim();
  return line.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
}

std::string checkPtx(StringRef ptx) {
  for (StringRef rest = ptx; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    if (line.contains(".extern .func"))
      return ("'" + line.trim() + "' is not in the image").str();
    if (line.trim().starts_with("//"))
      continue;
    if (const char *why = refusalOf(instructionOf(line)))
      return ("'" + line.trim() + "' " + why).str();
  }
  return "";
}

} // namespace smp::codegen::cuda
