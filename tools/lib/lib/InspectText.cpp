// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/PartitionLayout.h"
#include "smp/tools/Inspect.h"
#include "smp/tools/TextTable.h"
#include "smp/tools/Words.h"
#include <map>

namespace smp {

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string describeWeights(const Program &program,
                                   const FileState &file) {
  if (program.weights.size == 0)
    return "none";
  std::string place = program.weights.file.empty()
                          ? "inside"
                          : "beside, in '" + program.weights.file + "'";
  return formatBytes(program.weights.size) + " " + place +
         (file.hasWeights ? ", digest right" : ", not found");
}

static std::string head(const Program &program, const FileState &file) {
  uint64_t images = 0;
  for (std::span<const std::byte> image : program.images)
    images += image.size();
  TextTable table({"written by", program.producer});
  table.add({"partitions", number(program.partitions)});
  table.add({"variables", number(program.variables.size())});
  table.add({"weights", describeWeights(program, file)});
  table.add({"kernels", number(program.kernels.size()) + ", " +
                            formatBytes(images) + " in " +
                            number(program.images.size()) + " images"});
  table.add({"constants", formatBytes(program.constants.size())});
  return "program\n" + table.format("    ");
}

static std::string describeInput(const EntryTensor &tensor) {
  if (tensor.source == TensorSource::Microbatch)
    return "number of the microbatch";
  return tensor.batchAxis < 0
             ? "whole"
             : "batch axis " + std::to_string(tensor.batchAxis);
}

/// What becomes of the values of microbatches.
static std::string describeOutput(const EntryTensor &tensor) {
  const std::string axis = std::to_string(tensor.batchAxis);
  switch (tensor.join) {
  case Join::Concat:
    return "rows joined along axis " + axis;
  case Join::Same:
    return "the same for all microbatches";
  case Join::Sum:
    return "sum over microbatches";
  case Join::Mean:
    return "mean over microbatches";
  case Join::Mixed:
    return "one microbatch only: " + tensor.mixing;
  case Join::Unknown:
    if (tensor.batchAxis < 0)
      return "whole";
    [[fallthrough]];
  case Join::Each:
    return tensor.batchAxis < 0 ? "of each microbatch" : "batch axis " + axis;
  }
  return "";
}

static std::string stagesOf(const Program &program, const Entry &entry) {
  std::vector<std::string> heads = {"stage",    "name",  "partition", "unit",
                                    "launches", "arena", "predicted"};
  if (!entry.lags.empty())
    heads.push_back("lag");
  TextTable table(heads);
  for (size_t i = 0; i < entry.stages.size(); ++i) {
    const Stage &stage = program.stages[entry.stages[i]];
    std::vector<std::string> row = {number(i),
                                    stage.name,
                                    number(stage.partition),
                                    wordOf(stage.unit),
                                    number(stage.launches.size()),
                                    formatBytes(stage.arenaBytes),
                                    formatSeconds(stage.predictedSeconds)};
    if (!entry.lags.empty())
      row.push_back(number(entry.lags[i]));
    table.add(row);
  }
  std::string text = table.format("    ");
  for (uint32_t microbatches : shownMicrobatches(entry))
    text += "    predicted for " + number(microbatches) + " microbatch" +
            (microbatches == 1 ? "" : "es") + ": " +
            formatSeconds(predictSeconds(program, entry, microbatches)) +
            ", bubble " + predictBubble(program, entry, microbatches) + "\n";
  return text;
}

static std::string edgesOf(const Program &program, const Entry &entry) {
  TextTable table({"from", "to", "type", "depth"});
  for (const Edge &edge : entry.edges)
    for (const Edge::End &end : edge.to)
      table.add({describeEnd(program, entry, edge.from, /*isSource=*/true),
                 describeEnd(program, entry, end, /*isSource=*/false),
                 toString(edge.type), number(edge.depth)});
  return table.format("    ");
}

static std::string opsOf(const Entry &entry) {
  std::map<std::string, size_t> origins;
  TextTable table({"op", "mnemonic", "type", "partition", "decided by"});
  for (const GraphOp &op : entry.graph.ops) {
    ++origins[wordOf(op.placement.origin)];
    table.add({op.name, op.mnemonic,
               op.results.empty()
                   ? ""
                   : toString(entry.graph.values[op.results[0]].type),
               wordOf(op.placement), wordOf(op.placement.origin)});
  }
  std::string counts;
  for (const auto &[origin, count] : origins)
    counts += ", " + number(count) + " " + origin;
  return "  " + number(entry.graph.ops.size()) + " ops" + counts + "\n" +
         table.format("    ");
}

/// Of a twin: whose it is.
static std::string describeTwin(const Program &program, const Entry &entry) {
  if (!entry.twin)
    return "";
  return ", twin of '" + program.entries[entry.twin->of].name +
         "' that shows " + std::to_string(entry.twin->taps.size()) + " values";
}

static std::string describeEntry(const Program &program, const Entry &entry) {
  TextTable signature({"", "name", "type", ""});
  for (const EntryTensor &input : entry.inputs)
    signature.add(
        {"input", input.name, toString(input.type), describeInput(input)});
  for (const EntryTensor &output : entry.outputs)
    signature.add(
        {"output", output.name, toString(output.type), describeOutput(output)});
  return "\nentry '" + entry.name + "' (" + std::string(toString(entry.mode)) +
         ")" + describeTwin(program, entry) + "\n" + signature.format("    ") +
         "  " + describeSchedule(entry) + "\n  stages\n" +
         stagesOf(program, entry) + "  edges\n" + edgesOf(program, entry) +
         opsOf(entry);
}

std::string inspectMemory(const Program &program, uint64_t limit) {
  TextTable table({"partition", "variables", "rollback", "prepared",
                   "constants", "arena", "channels", "workspace", "total",
                   "imported", "scratch/thread"});
  uint32_t partition = 0;
  for (const PartitionMemory &memory : memoryOf(program))
    table.add({number(partition++), formatBytes(memory.variables),
               formatBytes(memory.rollback), formatBytes(memory.prepared),
               formatBytes(memory.constants), formatBytes(memory.arena),
               formatBytes(memory.channels), formatBytes(memory.workspace),
               formatBytes(memory.total()), formatBytes(memory.imported),
               formatBytes(memory.scratch)});
  return "\nmemory" +
         (limit > 0 ? ", of " + formatBytes(limit) + " per partition" : "") +
         "\n" + table.format("    ");
}

static std::string kernelTable(const Program &program) {
  std::vector<size_t> launches(program.kernels.size());
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      ++launches[launch.kernel];
  TextTable table({"kernel", "launches", "buffers", "target", "levels"});
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel &kernel = program.kernels[k];
    std::map<std::string, std::string> levels;
    for (const KernelVariant &variant : kernel.variants)
      levels[variant.target] += " " + variant.level;
    for (const auto &[target, list] : levels)
      table.add({kernel.name, number(launches[k]), number(kernel.numBuffers),
                 target, list.substr(1)});
  }
  return "\nkernels\n" + table.format("    ");
}

static std::string sizes(const uint32_t (&counts)[3]) {
  return number(counts[0]) + "x" + number(counts[1]) + "x" + number(counts[2]);
}

/// How kernels for GPUs are launched; empty when there are none.
static std::string blockTable(const Program &program) {
  TextTable table({"kernel", "level", "grid", "threads", "cluster", "shared",
                   "workspace", "image"});
  bool isEmpty = true;
  for (const Kernel &kernel : program.kernels)
    for (const KernelVariant &variant : kernel.variants)
      if (const auto &blocks = variant.blocks) {
        isEmpty = false;
        table.add({kernel.name, variant.level, sizes(variant.grid),
                   sizes(blocks->threads), sizes(blocks->cluster),
                   formatBytes(blocks->sharedBytes),
                   formatBytes(blocks->workspaceBytes), number(variant.image)});
      }
  return isEmpty ? "" : "\nblocks\n" + table.format("    ");
}

/// What the images are; empty when all are ELF.
static std::string imageTable(const Program &program) {
  TextTable table({"image", "kind", "bytes", ""});
  for (size_t i = 0; i < program.imageInfos.size(); ++i) {
    const ImageInfo &info = program.imageInfos[i];
    const bool isCubin = info.kind == ImageKind::Cubin;
    table.add(
        {number(i), toString(info.kind), formatBytes(program.images[i].size()),
         isCubin ? info.architecture + ", of image " + number(info.ptx) : ""});
  }
  return program.imageInfos.empty() ? "" : "\nimages\n" + table.format("    ");
}

/// Where every byte of the file is.
static std::string fileTable(const FileState &file) {
  TextTable table({"part", "offset", "bytes", ""});
  uint64_t total = 0;
  for (const FilePart &part : file.parts) {
    table.add({part.name, number(part.offset), number(part.bytes),
               formatBytes(part.bytes)});
    total += part.bytes;
  }
  table.add({"total", "", number(total), formatBytes(total)});
  return "\nfile\n" + table.format("    ");
}

std::string inspectText(const Program &program, const FileState &file) {
  std::string text = head(program, file);
  for (const Entry &entry : program.entries)
    text += describeEntry(program, entry);
  return text + inspectMemory(program, /*limit=*/0) + kernelTable(program) +
         blockTable(program) + imageTable(program) + fileTable(file);
}

} // namespace smp
