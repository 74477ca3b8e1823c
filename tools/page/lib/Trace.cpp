// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Page.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace smp {

using Json = nlohmann::json;

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

  /// False where the event is of none.
  bool add(const Json &event) {
    const Json name = event.value("name", Json()),
               args = event.value("args", Json());
    if (!name.is_string() || !args.is_object())
      return false;
    const Json microbatch = args.value("microbatch", Json()),
               start = event.value("ts", Json()),
               length = event.value("dur", Json());
    auto stage = stageOf.find(name.get<std::string>());
    if (stage == stageOf.end() || !microbatch.is_number_unsigned() ||
        !start.is_number() || !length.is_number())
      return false;
    auto &ofEntry = steps[stage->second.entry];
    const auto number = microbatch.get<uint32_t>();
    const size_t step = seen[{stage->first, number}]++;
    if (ofEntry.size() <= step)
      ofEntry.resize(step + 1);
    constexpr double kMicroseconds = 1e-6;
    const double begin = start.get<double>() * kMicroseconds;
    ofEntry[step].spans.push_back(
        {stage->second.stage, number, begin,
         begin + length.get<double>() * kMicroseconds});
    return true;
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
  const Json events =
      trace.is_object() ? trace.value("traceEvents", Json()) : Json();
  if (!events.is_array())
    return invalidArgument("no trace: it must be a JSON object with a list "
                           "\"traceEvents\", as smp-run --trace writes it");
  TraceReader reader(program);
  bool isOfProgram = false;
  for (const Json &event : events)
    if (event.is_object() && event.value("cat", Json()) == "stage")
      isOfProgram |= reader.add(event);
  if (!isOfProgram)
    return invalidArgument("the trace has no stage of the program: make it "
                           "with smp-run --trace of this very program");
  return reader.lastSteps();
}

} // namespace smp
