// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Config.h"
#include "smp/tools/Page.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace smp {

using Json = nlohmann::json;

/// What the object has of that name; null where it has nothing, or is none.
static const Json *find(const Json *object, const char *name) {
  if (!object || !object->is_object())
    return nullptr;
  auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

/// The microseconds of an event, as seconds: at least 0, and no more than a
/// year, so that they can be drawn.
static std::optional<double> secondsOf(const Json *number) {
  constexpr double kMicrosecond = 1e-6, kMost = 3.2e13;
  if (!number || !number->is_number())
    return std::nullopt;
  const auto value = number->get<double>();
  if (!(value >= 0 && value <= kMost))
    return std::nullopt;
  return value * kMicrosecond;
}

namespace {

/// A stage of an entry.
struct StageOf {
  size_t entry = 0;
  uint32_t stage = 0;
};

/// Gives spans to the entries and steps that they are of.
class TraceReader {
public:
  explicit TraceReader(const Program &program) : steps(program.entries.size()) {
    for (size_t e = 0; e < program.entries.size(); ++e)
      for (uint32_t s = 0; s < program.entries[e].stages.size(); ++s)
        stageOf[program.stages[program.entries[e].stages[s]].name] = {e, s};
  }

  /// Of the event of that number, unless it is of another program.
  Status add(size_t number, const Json &event) {
    const Json *name = find(&event, "name");
    if (!name || !name->is_string())
      return Status();
    auto stage = stageOf.find(name->get_ref<const std::string &>());
    if (stage == stageOf.end())
      return Status();
    const Json *microbatch = find(find(&event, "args"), "microbatch");
    const auto start = secondsOf(find(&event, "ts")),
               length = secondsOf(find(&event, "dur"));
    if (!start || !length || !microbatch || !microbatch->is_number_unsigned() ||
        microbatch->get<uint64_t>() >= uint64_t(kMostMicrobatches))
      return invalidArgument(
          "traceEvents[" + std::to_string(number) + "], of stage '" +
          stage->first +
          "', needs \"ts\" and \"dur\", microseconds from 0 on, and "
          "\"args\": {\"microbatch\": 0 to " +
          std::to_string(kMostMicrobatches - 1) + "}");
    const auto of = uint32_t(microbatch->get<uint64_t>());
    auto &ofEntry = steps[stage->second.entry];
    const size_t step = seen[{stage->first, of}]++;
    if (ofEntry.size() <= step)
      ofEntry.resize(step + 1);
    ofEntry[step].spans.push_back(
        {stage->second.stage, of, *start, *start + *length});
    return Status();
  }

  bool hasSteps() const {
    return std::any_of(steps.begin(), steps.end(),
                       [](const auto &ofEntry) { return !ofEntry.empty(); });
  }

  /// The last step of each that has as many spans as the one with the most.
  std::vector<MeasuredStep> lastSteps() {
    std::vector<MeasuredStep> last;
    for (std::vector<MeasuredStep> &ofEntry : steps) {
      MeasuredStep &chosen = last.emplace_back();
      for (MeasuredStep &step : ofEntry)
        if (step.spans.size() >= chosen.spans.size())
          chosen = std::move(step);
      fromZero(chosen);
    }
    return last;
  }

private:
  static void fromZero(MeasuredStep &step) {
    double first = HUGE_VAL;
    for (const MeasuredStep::Span &span : step.spans)
      first = std::min(first, span.start);
    for (MeasuredStep::Span &span : step.spans) {
      span.start -= first;
      span.end -= first;
    }
  }

  std::map<std::string, StageOf> stageOf;
  std::map<std::pair<std::string, uint32_t>, size_t> seen;
  std::vector<std::vector<MeasuredStep>> steps; ///< By entry.
};

} // namespace

StatusOr<std::vector<MeasuredStep>> readTrace(const Program &program,
                                              std::string_view text) {
  const Json trace = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json *events = find(&trace, "traceEvents");
  if (!events || !events->is_array())
    return invalidArgument("no trace: it must be a JSON object with a list "
                           "\"traceEvents\", as smp-run --trace writes it");
  TraceReader reader(program);
  for (size_t i = 0; i < events->size(); ++i) {
    const Json *kind = find(&(*events)[i], "cat");
    if (kind && kind->is_string() &&
        kind->get_ref<const std::string &>() == "stage")
      SMP_RETURN_IF_ERROR(reader.add(i, (*events)[i]));
  }
  if (!reader.hasSteps())
    return invalidArgument("the trace has no stage of the program: make it "
                           "with smp-run --trace of this very program");
  return reader.lastSteps();
}

} // namespace smp
