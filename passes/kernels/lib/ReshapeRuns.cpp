// SPDX-License-Identifier: Apache-2.0
#include "ReshapeRuns.h"

namespace smp::passes {

std::optional<llvm::SmallVector<ReshapeRun>>
reshapeRuns(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out) {
  llvm::SmallVector<ReshapeRun> runs;
  int64_t i = 0, o = 0, inRank = in.size(), outRank = out.size();
  while (i < inRank || o < outRank) {
    ReshapeRun run{i, i, o, o};
    int64_t left = i < inRank ? in[i++] : 1, right = o < outRank ? out[o++] : 1;
    while (left != right) {
      if (left == 0 || right == 0)
        return std::nullopt;
      if (left < right) {
        if (i == inRank)
          return std::nullopt;
        left *= in[i++];
      } else {
        if (o == outRank)
          return std::nullopt;
        right *= out[o++];
      }
    }
    run.inEnd = i;
    run.outEnd = o;
    runs.push_back(run);
  }
  return runs;
}

} // namespace smp::passes
