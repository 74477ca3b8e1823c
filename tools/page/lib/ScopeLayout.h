// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a scope are drawn, by Graphviz.

#ifndef SMP_TOOLS_PAGE_SCOPELAYOUT_H
#define SMP_TOOLS_PAGE_SCOPELAYOUT_H

#include "PageGraph.h"
#include "smp/base/Status.h"

namespace smp::page {

struct Point {
  double x = 0, y = 0;
};

/// In CSS pixels, from the top left corner.
struct ScopeLayout {
  struct Area {
    double x = 0, y = 0, width = 0, height = 0;
  };
  double width = 0, height = 0;
  std::vector<Area> boxes; ///< As Scope::boxes.
  /// As Scope::wires: a point, then three of each cubic Bezier curve; the last
  /// one is where its box begins.
  std::vector<std::vector<Point>> wires;
};

/// Lays out scopes one after the other, each as if all those in it were closed.
class ScopeLayouter {
public:
  ScopeLayouter();
  ~ScopeLayouter();
  ScopeLayouter(const ScopeLayouter &) = delete;
  ScopeLayouter &operator=(const ScopeLayouter &) = delete;

  /// An error where Graphviz's plugin for layered graphs is not there.
  StatusOr<ScopeLayout> layOut(const Scope &scope);

private:
  struct Context;
  std::unique_ptr<Context> context;
};

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_SCOPELAYOUT_H
