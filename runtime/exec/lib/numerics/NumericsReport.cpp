// SPDX-License-Identifier: Apache-2.0
#include "NumericsReport.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <span>

namespace smp {

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

static const char *wordOf(const BadFloat &bad) {
  return bad.isNan ? "NaN" : "infinity";
}

bool overlap(const BufferRef &a, const BufferRef &b) {
  return a.space == b.space && a.index == b.index &&
         a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

namespace {

/// Knows what the user calls things of one run of a stage.
class Namer {
public:
  explicit Namer(const StagePlace &place)
      : program(place.program), place(place) {}

  /// "op 'dense'": what made buffer `buffer` of the launch.
  std::string maker(const Launch &launch, size_t buffer) const {
    const size_t first =
        launch.buffers.size() - program.kernels[launch.kernel].numOutputs;
    return "op " +
           quoted(launch.opNames[launch.makers[size_t(buffer - first)]]);
  }

  /// What the launch reads there: "variable 'w'".
  std::string source(const Stage &stage, uint32_t launch,
                     const BufferRef &ref) const {
    switch (ref.space) {
    case Space::Variable:
      return "variable " + quoted(program.variables[ref.index].name);
    case Space::Constant:
      return "a constant";
    case Space::Prepared:
      return prepared(ref.index);
    case Space::Input:
      return input(ref.index);
    case Space::Arena:
    case Space::Output:
      return writer(stage, launch, ref);
    }
    return "";
  }

private:
  /// What the last launch before `end` that wrote there is called.
  std::string writer(const Stage &stage, size_t end,
                     const BufferRef &ref) const {
    for (size_t l = end; l-- > 0;) {
      const Launch &launch = stage.launches[l];
      const size_t count = launch.buffers.size();
      for (size_t b = count - program.kernels[launch.kernel].numOutputs;
           b < count; ++b)
        if (overlap(launch.buffers[b], ref))
          return "what " + maker(launch, b) + " gave";
    }
    return "a value of stage " + quoted(stage.name);
  }

  std::string prepared(uint32_t index) const {
    const Stage &stage = program.stages[program.prepared[index].stage];
    for (const Launch &launch : stage.launches)
      for (const BufferRef &ref : launch.buffers)
        if (ref.space == Space::Variable)
          return "what was prepared from variable " +
                 quoted(program.variables[ref.index].name);
    return "a prepared value";
  }

  /// Of the place's stage.
  std::string input(uint32_t index) const {
    const Edge::End here{int32_t(place.position), index};
    for (const Edge &edge : place.entry.edges) {
      if (std::find(edge.to.begin(), edge.to.end(), here) == edge.to.end())
        continue;
      if (edge.from.stage == Edge::kCaller)
        return "input " + quoted(place.entry.inputs[edge.from.index].name);
      const Stage &from =
          program.stages[place.entry.stages[size_t(edge.from.stage)]];
      return writer(
          from, from.launches.size(),
          {Space::Output, edge.from.index, 0, uint64_t(edge.type.bytes())});
    }
    return "an input of stage " + quoted(place.stage().name);
  }

  const Program &program;
  const StagePlace &place;
};

} // namespace

/// "", or who else may be to blame: what is in one kernel is seen as one.
static std::string fusedOps(const Launch &launch, const std::string &maker) {
  constexpr size_t kMost = 8;
  std::vector<std::string> others;
  for (const std::string &name : launch.opNames)
    if (const std::string other = quoted(name);
        "op " + other != maker &&
        std::find(others.begin(), others.end(), other) == others.end())
      others.push_back(other);
  if (others.empty())
    return "";
  const std::span<const std::string> all = others;
  std::string list = join(all.first(std::min(all.size(), kMost)), ", ");
  if (all.size() > kMost)
    list += " and " + std::to_string(all.size() - kMost) + " more";
  return ", or one of the ops fused with it (" + list + "),";
}

/// Who had values that are not finite before, and what to do about them.
static std::string cause(const Namer &namer, const StagePlace &place,
                         uint32_t launch, const BadBuffer &made,
                         const std::vector<BadBuffer> &carried) {
  if (carried.empty())
    return std::string(
               "; what it reads is finite, so that it was made here: look ") +
           (made.bad.isNan
                ? "for 0/0, a root or logarithm of a negative number, or "
                  "an overflow that cancels"
                : "for an overflow or a division by 0") +
           (place.entry.mode == Mode::Train ? ", or lower the learning rate"
                                            : "");
  const Stage &stage = place.stage();
  std::vector<std::string> sources;
  bool fromCaller = false, fromVariable = false;
  for (const BadBuffer &each : carried) {
    const BufferRef &ref = stage.launches[launch].buffers[each.buffer];
    const std::string source = namer.source(stage, launch, ref);
    fromCaller |= source.starts_with("input ");
    fromVariable |= source.find("variable '") != std::string::npos;
    sources.push_back(source + ", which has " + wordOf(each.bad) +
                      " at element " + std::to_string(each.bad.index));
  }
  std::string text = "; it came with " + join(sources, " and ");
  if (fromCaller)
    text += "; give the step finite data";
  if (fromVariable)
    text += "; set the variable or restore a checkpoint";
  if (!fromCaller && !fromVariable)
    text += "; check infinities as well to see where they begin";
  return text;
}

Status numericsError(const StagePlace &place, uint32_t launch,
                     const BadBuffer &made,
                     const std::vector<BadBuffer> &carried) {
  const Stage &stage = place.stage();
  const Launch &what = stage.launches[launch];
  const Namer namer(place);
  const std::string maker = namer.maker(what, made.buffer);
  const DType dtype = what.dtypes[made.buffer];
  std::string text =
      "entry '" + place.entry.name + "', " +
      (stage.unit == Unit::Update
           ? "update"
           : "microbatch " + std::to_string(place.microbatch)) +
      ": " + maker + fusedOps(what, maker) + " gave " + wordOf(made.bad) +
      " at element " + std::to_string(made.bad.index) + " of " +
      std::to_string(what.buffers[made.buffer].bytes / sizeOf(dtype)) + " (" +
      std::string(toString(dtype)) + ", stage '" + stage.name + "')" +
      cause(namer, place, launch, made, carried);
  if (stage.unit == Unit::Update)
    text += "; the step had begun to change variables: restore a checkpoint or "
            "set them";
  return invalidArgument(std::move(text));
}

} // namespace smp
