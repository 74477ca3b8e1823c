// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Lists.h"
#include "smp/tools/Inspect.h"
#include "smp/tools/Words.h"
#include <map>
#include <set>

namespace smp {

/// A comment per kernel of one symbol: its name, and the ops of its launches.
static std::string describe(const Program &program, size_t kernel) {
  std::set<std::string> ops;
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      if (launch.kernel == kernel)
        ops.insert(launch.opNames.begin(), launch.opNames.end());
  std::string line = "// kernel '" + program.kernels[kernel].name + "'";
  if (!ops.empty())
    line += " for " + join(ops, ", ", [](const std::string &name) {
              return "'" + name + "'";
            });
  for (char &c : line) // Names come from models: a comment ends with its line.
    if (uint8_t(c) < ' ' || c == 0x7f)
      c = '?';
  return line + "\n";
}

/// The symbol that a line declares as a kernel; empty when it declares none.
static std::string_view entryIn(std::string_view line) {
  static constexpr std::string_view kEntry = ".entry ";
  const size_t at = line.find(kEntry);
  if (at == line.npos)
    return {};
  line.remove_prefix(at + kEntry.size());
  return line.substr(0, line.find_first_of("( \t"));
}

/// The text of one image, with a comment in front of each kernel.
static std::string
annotate(std::string_view ptx,
         const std::map<std::string, std::string, std::less<>> &comments) {
  std::string text;
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(0, end);
    if (const auto comment = comments.find(entryIn(line));
        comment != comments.end())
      text += comment->second;
    text += line;
    ptx.remove_prefix(end);
  }
  return text;
}

StatusOr<std::string> inspectPtx(const Program &program) {
  std::map<size_t, std::map<std::string, std::string, std::less<>>> images;
  std::set<std::string> targets;
  for (size_t k = 0; k < program.kernels.size(); ++k)
    for (const KernelVariant &variant : program.kernels[k].variants) {
      targets.insert(variant.target);
      if (imageKind(program, variant.image) == ImageKind::Ptx)
        images[variant.image][variant.symbol] += describe(program, k);
    }
  if (images.empty())
    return failedPrecondition("the program has no PTX: its kernels are for " +
                              join(targets, ", ") +
                              "; compile it with --target cuda");
  std::string text;
  for (const auto &[image, comments] : images) {
    const std::span<const std::byte> bytes = program.images[image];
    text +=
        "// images[" + std::to_string(image) + "]\n" +
        annotate({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                 comments);
    if (text.back() != '\n')
      text += '\n';
  }
  return text;
}

} // namespace smp
