// SPDX-License-Identifier: Apache-2.0
#include "Html.h"
#include "Words.h"
#include "smp/base/Lists.h"
#include "smp/tools/Inspect.h"
#include <algorithm>
#include <map>

namespace smp {

static constexpr char kStyle[] = R"css(
body { font: 14px sans-serif; margin: 1.5em; color: #222; background: #fff; }
h1 { font-size: 1.4em; } h2 { font-size: 1.15em; margin-top: 1.6em; }
h3 { font-size: 1em; margin-bottom: 0.4em; }
table { border-collapse: collapse; }
td, th { border-bottom: 1px solid #ddd; padding: 2px 10px; text-align: left; }
.picture { overflow: auto; max-height: 80vh; border: 1px solid #ddd;
  padding: 8px; }
.label { font: 11px sans-serif; pointer-events: none; }
.head { font: bold 12px sans-serif; }
.op { stroke: #555; stroke-width: 1; }
.op.user { stroke: #000; stroke-width: 2.5; }
.op.solver { stroke-dasharray: 4 2; }
.op:hover { stroke: #d00; }
.wire { fill: none; stroke: #999; stroke-width: 1; }
.wire.crossing { stroke: #d05000; stroke-width: 2; }
.wire:hover { stroke: #d00; stroke-width: 3; }
)css";

static std::string row(const std::vector<std::string> &cells,
                       const char *tag = "td") {
  std::string text = "<tr>";
  for (const std::string &cell : cells)
    text += std::string("<") + tag + ">" + escapeHtml(cell) + "</" + tag + ">";
  return text + "</tr>\n";
}

static std::string picture(const std::string &content) {
  return "<div class=\"picture\">\n" + content + "</div>\n";
}

static std::string legend(const Program &program) {
  static constexpr int64_t kMostColours = 8;
  int64_t partitions = std::min<int64_t>(program.partitions, kMostColours);
  std::string svg = svgBegin((partitions + 4) * 110, 22);
  int64_t x = 0;
  for (int32_t p = 0; p < partitions; ++p, x += 110)
    svg += svgBox(x, 4, 14, 14, colourOf(p), "", "class=\"op propagated\"") +
           svgText(x + 20, 15, "partition " + std::to_string(p), "label");
  const std::pair<const char *, const char *> outlines[] = {
      {"class=\"op user\"", "user"},
      {"class=\"op propagated\"", "propagated"},
      {"class=\"op solver\"", "solver"}};
  for (const auto &[attributes, word] : outlines) {
    svg += svgBox(x, 4, 14, 14, "#ffffff", "", attributes) +
           svgText(x + 20, 15, word, "label");
    x += 110;
  }
  return svg + "</svg>\n";
}

static std::string originCounts(const Graph &graph) {
  std::map<std::pair<int32_t, std::string>, size_t> counts;
  for (const GraphOp &op : graph.ops)
    ++counts[{op.placement.partition, wordOf(op.placement.origin)}];
  std::string text =
      "<table>\n" + row({"partition", "decided by", "ops"}, "th");
  for (const auto &[key, count] : counts)
    text +=
        row({key.first == Placement::kAll ? "all" : std::to_string(key.first),
             key.second, std::to_string(count)});
  return text + "</table>\n";
}

static std::string signature(const Entry &entry) {
  std::string text = "<table>\n" + row({"", "name", "type"}, "th");
  for (const EntryTensor &tensor : entry.inputs)
    text += row({"input", tensor.name, toString(tensor.type)});
  for (const EntryTensor &tensor : entry.outputs)
    text += row({"output", tensor.name, toString(tensor.type)});
  return text + "</table>\n";
}

static std::string describe(const Program &program, const Entry &entry) {
  return "<h2>Entry " + escapeHtml(entry.name) + " (" +
         std::string(toString(entry.mode)) + ")</h2>\n" + signature(entry) +
         "<h3>Partition</h3>\n" + originCounts(entry.graph) + legend(program) +
         picture(drawGraph(program, entry)) + "<h3>Expected timeline</h3>\n" +
         picture(drawTimeline(program, entry));
}

static std::string kernelTable(const Program &program) {
  std::string text =
      "<table>\n" + row({"kernel", "buffers", "targets and levels"}, "th");
  for (const Kernel &kernel : program.kernels) {
    const std::string levels =
        join(kernel.variants, ", ", [](const KernelVariant &variant) {
          return variant.target + " " + variant.level;
        });
    text += row({kernel.name, std::to_string(kernel.numBuffers), levels});
  }
  return text + "</table>\n";
}

static std::string fileTable(const FileState &file) {
  std::string text = "<table>\n" + row({"part", "offset", "bytes"}, "th");
  for (const FilePart &part : file.parts)
    text += row(
        {part.name, std::to_string(part.offset), std::to_string(part.bytes)});
  return text + "</table>\n";
}

std::string inspectHtml(const Program &program, const FileState &file,
                        const std::string &title) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<title>" +
      escapeHtml(title) + "</title>\n<style>" + kStyle +
      "</style>\n</head>\n<body>\n<h1>" + escapeHtml(title) + "</h1>\n<p>" +
      escapeHtml("Written by " + program.producer + "; " +
                 std::to_string(program.partitions) + " partitions, " +
                 std::to_string(program.variables.size()) + " variables, " +
                 formatBytes(program.weights.size) + " of weights" +
                 (file.hasWeights || program.weights.size == 0
                      ? "."
                      : " that are not there.")) +
      "</p>\n";
  for (const Entry &entry : program.entries)
    text += describe(program, entry);
  return text + "<h2>Memory</h2>\n" + picture(drawMemory(program)) +
         "<h2>Kernels</h2>\n" + kernelTable(program) + "<h2>File</h2>\n" +
         fileTable(file) + "</body>\n</html>\n";
}

} // namespace smp
