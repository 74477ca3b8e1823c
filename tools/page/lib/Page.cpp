// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Page.h"
#include "Assets.h"
#include "GraphData.h"
#include "TimeData.h"
#include "smp/base/Lists.h"
#include "smp/tools/Html.h"
#include "smp/tools/Words.h"

namespace smp {

using page::kScript;
using page::kStyle;

static constexpr char kArrows[] =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs>\n"
    "<marker id=\"arrow\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
    "markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\"><path d=\"M0 0 L6 3 "
    "L0 6 z\" fill=\"#a9b1bb\"/></marker>\n"
    "<marker id=\"crossing\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
    "markerWidth=\"4\" markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0 L6 3 "
    "L0 6 z\" fill=\"#d05000\"/></marker>\n</defs></svg>\n";

static std::string row(const std::vector<std::string> &cells,
                       const char *tag = "td") {
  std::string text = "<tr>";
  for (const std::string &cell : cells)
    text += std::string("<") + tag + ">" + escapeHtml(cell) + "</" + tag + ">";
  return text + "</tr>\n";
}

static std::string folded(const std::string &summary,
                          const std::string &content) {
  return "<details><summary>" + summary + "</summary>\n" + content +
         "</details>\n";
}

static std::string endsTable(const Entry &entry) {
  std::string text = "<table>\n" + row({"", "name", "type"}, "th");
  for (const EntryTensor &tensor : entry.inputs)
    text += row({"input", tensor.name, toString(tensor.type)});
  for (const EntryTensor &tensor : entry.outputs)
    text += row({"output", tensor.name, toString(tensor.type)});
  return text + "</table>\n";
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

static std::string head(const Program &program, const FileState &file,
                        const std::string &title) {
  std::string weights = formatBytes(program.weights.size) + " of weights";
  if (!file.hasWeights && program.weights.size > 0)
    weights += " that are not there";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\">\n<title>" +
         escapeHtml(title) + "</title>\n<style>\n" + kStyle +
         "</style>\n</head>\n<body>\n<h1>" + escapeHtml(title) +
         "</h1>\n<p class=\"quiet\">" +
         escapeHtml("Written by " + program.producer + "; " +
                    std::to_string(program.partitions) + " partitions, " +
                    std::to_string(program.variables.size()) + " variables, " +
                    weights + ".") +
         "</p>\n<noscript><p>The pictures are drawn by the page's own script, "
         "which this browser does not run.</p></noscript>\n" +
         kArrows;
}

/// As a script's text: nothing in it can end the script.
static std::string dataScript(const nlohmann::ordered_json &data) {
  std::string text = "<script type=\"application/json\" id=\"data\">\n";
  for (char c : data.dump(-1, ' ', false,
                          nlohmann::ordered_json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text + "</script>\n";
}

StatusOr<std::string> drawPage(const Program &program, const FileState &file,
                               const std::string &title,
                               const std::vector<MeasuredStep> &measured) {
  page::ScopeLayouter layouter;
  std::string text = head(program, file, title);
  nlohmann::ordered_json data = {{"partitions", program.partitions},
                                 {"memory", page::memoryData(program)},
                                 {"entries", nlohmann::ordered_json::array()}};
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const Entry &entry = program.entries[i];
    text += "<h2>Entry " + escapeHtml(entry.name) + " (" +
            std::string(toString(entry.mode)) + ", " +
            escapeHtml(describeSchedule(entry)) + ")</h2>\n" +
            folded("Inputs and outputs", endsTable(entry)) +
            "<div id=\"entry-" + std::to_string(i) + "\"></div>\n";
    SMP_ASSIGN_OR_RETURN(nlohmann::json drawn,
                         page::graphData(entry, layouter));
    drawn["stages"] = page::stagesData(program, entry);
    drawn["timelines"] = page::timelinesData(
        program, entry, i < measured.size() ? measured[i] : MeasuredStep());
    data["entries"].push_back(nlohmann::ordered_json(std::move(drawn)));
  }
  return text + "<h2>Memory</h2>\n<div id=\"memory\"></div>\n" +
         folded("Kernels", kernelTable(program)) +
         folded("File", fileTable(file)) + "<div id=\"tip\"></div>\n" +
         dataScript(data) + "<script>\n" + kScript +
         "</script>\n</body>\n</html>\n";
}

} // namespace smp
