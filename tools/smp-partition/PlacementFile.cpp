// SPDX-License-Identifier: Apache-2.0
#include "PlacementFile.h"
#include "JsonMembers.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <algorithm>
#include <charconv>

namespace smp {

using namespace passes;

namespace {

constexpr size_t kDeepest = 8;
/// Names in a message.
constexpr size_t kMostNamed = 8;
/// By Certificate::Kind.
constexpr const char *kKinds[] = {"none", "work", "sets", "path", "search"};

template <typename Number>
std::string listOf(const std::vector<Number> &numbers) {
  return "[" + join(numbers, ", ") + "]";
}

std::string proofText(double bound, const Certificate &certificate) {
  return "{\"bound\": " + jsonNumber(bound) + ", \"kind\": \"" +
         kKinds[size_t(certificate.kind)] +
         "\", \"excluded\": " + std::to_string(certificate.excluded) +
         ", \"states\": " + std::to_string(certificate.states) +
         ", \"labels\": " + std::to_string(certificate.labels) +
         ", \"steps\": " + std::to_string(certificate.steps) +
         ",\n  \"weights\": " + listOf(certificate.weights) +
         ",\n  \"items\": " + listOf(certificate.items) + "}";
}

class PlacementReader {
public:
  explicit PlacementReader(const Instance &instance)
      : instance(instance), isPlaced(instance.ids.size()) {
    file.partitionOf.resize(instance.ids.size());
  }

  StatusOr<PlacementFile> read(std::string_view text) {
    SMP_ASSIGN_OR_RETURN(const JsonTree root, parseJsonObject(text, kDeepest));
    const JsonMembers members(root, "the placement");
    SMP_RETURN_IF_ERROR(addDevices(members, "fpgas", 0, instance.accelerators));
    SMP_RETURN_IF_ERROR(
        addDevices(members, "cpus", instance.accelerators, instance.cpus));
    SMP_RETURN_IF_ERROR(checkAllPlaced());
    if (const JsonTree *proof = root.find("proof"))
      SMP_RETURN_IF_ERROR(readProof(*proof));
    return std::move(file);
  }

private:
  Status addDevices(const JsonMembers &members, const char *name,
                    uint32_t first, uint32_t count) {
    SMP_ASSIGN_OR_RETURN(const auto devices, members.list(name));
    if (devices.size() > count)
      return invalidArgument("the placement has " +
                             std::to_string(devices.size()) + " " + name +
                             ", the instance " + std::to_string(count));
    for (size_t d = 0; d < devices.size(); ++d) {
      const JsonMembers device(devices[d], std::string(name) + "[" +
                                               std::to_string(d) + "]");
      SMP_ASSIGN_OR_RETURN(const auto ids, device.wholes("nodes"));
      for (int64_t id : ids)
        SMP_RETURN_IF_ERROR(place(id, first + uint32_t(d)));
    }
    return Status();
  }

  Status place(int64_t id, uint32_t partition) {
    const auto item = instance.items.find(id);
    if (item == instance.items.end())
      return invalidArgument("the placement has node " + std::to_string(id) +
                             ", which the instance has not");
    if (isPlaced[item->second])
      return invalidArgument("the placement has node " + std::to_string(id) +
                             " twice");
    isPlaced[item->second] = true;
    file.partitionOf[item->second] = partition;
    return Status();
  }

  Status checkAllPlaced() const {
    std::vector<int64_t> missing;
    for (size_t item = 0; item < isPlaced.size(); ++item)
      if (!isPlaced[item])
        missing.push_back(instance.ids[item]);
    if (missing.empty())
      return Status();
    std::sort(missing.begin(), missing.end());
    const size_t all = missing.size();
    missing.resize(std::min(all, kMostNamed));
    return invalidArgument("the placement lacks " + std::to_string(all) +
                           " nodes of the instance: " + join(missing, ", ") +
                           (all > kMostNamed ? ", ..." : ""));
  }

  Status readProof(const JsonTree &json) {
    const JsonMembers members(json, "the proof");
    ProvedBound proof;
    Certificate &certificate = proof.certificate;
    SMP_ASSIGN_OR_RETURN(proof.bound, members.number("bound"));
    const std::string kind = members.text("kind", "");
    const auto *known = std::find(std::begin(kKinds), std::end(kKinds), kind);
    if (known == std::end(kKinds))
      return invalidArgument("the proof has the kind " + quote(kind) +
                             "; there are " + listNames(kKinds));
    certificate.kind = Certificate::Kind(known - kKinds);
    SMP_ASSIGN_OR_RETURN(certificate.excluded, members.whole("excluded"));
    SMP_ASSIGN_OR_RETURN(certificate.states, members.count("states"));
    SMP_ASSIGN_OR_RETURN(certificate.labels, members.count("labels"));
    SMP_ASSIGN_OR_RETURN(const int64_t steps, members.whole("steps"));
    certificate.steps = uint64_t(std::max<int64_t>(steps, 0));
    SMP_ASSIGN_OR_RETURN(certificate.weights, members.wholes("weights"));
    SMP_ASSIGN_OR_RETURN(const auto items, members.wholes("items"));
    for (int64_t item : items)
      certificate.items.push_back(uint32_t(item));
    file.proof = std::move(proof);
    return Status();
  }

  const Instance &instance;
  std::vector<bool> isPlaced; ///< By item.
  PlacementFile file;
};

/// Takes the next word off the line; empty when there is none.
std::string_view takeWord(std::string_view &line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<int64_t> numberOf(std::string_view word) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size()
             ? std::optional(number)
             : std::nullopt;
}

Status addPin(Instance &instance, std::string_view line) {
  const std::string_view text = line;
  const std::string_view node = takeWord(line), device = takeWord(line);
  if (node.empty())
    return Status();
  const std::optional<int64_t> id = numberOf(node),
                               partition = numberOf(device);
  if (!id || !partition || !takeWord(line).empty())
    return invalidArgument(quote(text) + " is not the id of a node and the "
                                         "number of a device");
  const auto item = instance.items.find(*id);
  if (item == instance.items.end())
    return invalidArgument("node " + std::to_string(*id) +
                           " is not in the instance");
  const uint32_t devices = instance.problem.getNumPartitions();
  if (*partition < 0 || *partition >= int64_t(devices))
    return invalidArgument("node " + std::to_string(*id) +
                           " is pinned to device " +
                           std::to_string(*partition) + ", but there are " +
                           std::to_string(devices) + ", from 0");
  instance.problem.pin(item->second, uint32_t(*partition));
  return Status();
}

} // namespace

std::string placementText(const Instance &instance,
                          const PartitionAnswer &answer) {
  const std::vector<PartitionLoad> loads =
      instance.problem.loads(answer.partitionOf);
  std::vector<std::vector<int64_t>> nodes(loads.size());
  for (size_t item = 0; item < answer.partitionOf.size(); ++item)
    nodes[answer.partitionOf[item]].push_back(instance.ids[item]);
  auto devices = [&](uint32_t first, uint32_t count) {
    std::vector<std::string> texts;
    for (uint32_t p = first; p < first + count; ++p) {
      std::sort(nodes[p].begin(), nodes[p].end());
      texts.push_back("{\"load\": " + jsonNumber(loads[p].seconds()) +
                      ", \"nodes\": " + listOf(nodes[p]) + "}");
    }
    return "[\n  " + join(texts, ",\n  ") + "]";
  };
  return "{\"fpgas\": " + devices(0, instance.accelerators) +
         ",\n\"cpus\": " + devices(instance.accelerators, instance.cpus) +
         ",\n\"objective\": " + jsonNumber(answer.objective) +
         ",\n\"proof\": " + proofText(answer.bound, answer.certificate) + "}\n";
}

StatusOr<PlacementFile> parsePlacement(const Instance &instance,
                                       std::string_view text) {
  return PlacementReader(instance).read(text);
}

Status addPins(Instance &instance, std::string_view text) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    SMP_RETURN_IF_ERROR(addPin(instance, line.substr(0, line.find('#')))
                            .in("line " + std::to_string(number)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Status();
}

} // namespace smp
