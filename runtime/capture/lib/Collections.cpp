// SPDX-License-Identifier: Apache-2.0
#include "Collections.h"
#include "BuiltInCollections.h"
#include "JsonText.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp {

//===----------------------------------------------------------------------===//
// One collection
//===----------------------------------------------------------------------===//

bool Collection::isSavedAt(Mode mode, uint64_t modeStep) const {
  const BuiltInCollection *builtIn = findBuiltInCollection(name);
  const bool isTrained = mode == Mode::Train || mode == Mode::Global;
  if (!isSaved || (builtIn && builtIn->isOfTraining && !isTrained))
    return false;
  return steps[size_t(mode) - 1].has(int64_t(modeStep));
}

StatusOr<bool> Collection::has(std::string_view tensor) const {
  if (tensorNames.contains(tensor))
    return true;
  for (const Regex &regex : regexes) {
    SMP_ASSIGN_OR_RETURN(const bool isIn, regex.isIn(tensor));
    if (isIn)
      return true;
  }
  return false;
}

/// What the configurations say of a collection, with nothing left to say.
static StatusOr<Collection> collectionOf(const CollectionConfig &config,
                                         const HookConfig &hook) {
  SMP_RETURN_IF_ERROR(checkSaveConfig(config.saveConfig));
  const BuiltInCollection *builtIn = findBuiltInCollection(config.name);
  const bool isWhole = builtIn && builtIn->isWhole;
  const ReductionConfig whole{.saveRawTensor = true};
  Collection made;
  made.name = config.name;
  made.includeRegex = config.includeRegex;
  made.tensorNames.insert(config.tensorNames.begin(), config.tensorNames.end());
  made.reductions = hook.reductionConfig.value_or(whole);
  made.saveHistogram = config.saveHistogram && !isWhole;
  if (builtIn && !builtIn->regex.empty())
    made.includeRegex.emplace(made.includeRegex.begin(), builtIn->regex);
  made.reductions =
      isWhole ? whole : config.reductionConfig.value_or(made.reductions);
  for (const ModeName &mode : kModeNames)
    made.steps[size_t(mode.mode) - 1] =
        selectSteps(mode.mode, hook.saveConfig, config.saveConfig);
  for (const std::string &pattern : made.includeRegex) {
    SMP_ASSIGN_OR_RETURN(Regex regex, Regex::compile(pattern));
    made.regexes.push_back(std::move(regex));
  }
  return made;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static Status checkNames(const HookConfig &config) {
  std::set<std::string_view> seen;
  for (const CollectionConfig &collection : config.collections) {
    if (collection.name.empty())
      return invalidArgument("a collection has no name; give it one");
    if (!seen.insert(collection.name).second)
      return invalidArgument("the collection " + quote(collection.name) +
                             " is given twice; leave one of them out");
    if (std::ranges::count(collection.tensorNames, "") > 0)
      return invalidArgument("a tensor of the collection " +
                             quote(collection.name) +
                             " has no name; leave it out");
  }
  return Status();
}

StatusOr<Collections> Collections::of(const HookConfig &config) {
  SMP_RETURN_IF_ERROR(checkNames(config));
  SMP_RETURN_IF_ERROR(checkSaveConfig(config.saveConfig).in("the hook"));
  Collections made;
  for (const CollectionConfig &listed : config.collections) {
    SMP_ASSIGN_OR_RETURN(Collection collection,
                         collectionOf(listed, config)
                             .in("the collection " + quote(listed.name)));
    collection.isSaved = true;
    made.collections.push_back(std::move(collection));
  }
  for (const BuiltInCollection &builtIn : kBuiltInCollections)
    if (!made.find(builtIn.name)) {
      SMP_ASSIGN_OR_RETURN(
          Collection collection,
          collectionOf({.name = std::string(builtIn.name)}, config));
      collection.isSaved = builtIn.isDefault;
      made.collections.push_back(std::move(collection));
    }
  SMP_RETURN_IF_ERROR(made.include("default", config.includeRegex));
  if (config.saveAll)
    SMP_RETURN_IF_ERROR(made.include("all", {".*"}));
  if (made.find("all")->isSaved)
    for (Collection &collection : made.collections)
      collection.isSaved = true;
  return made;
}

/// The collection is saved, with what the regexes find, where there are some.
Status Collections::include(std::string_view name,
                            const std::vector<std::string> &patterns) {
  Collection &collection = *find(name);
  for (const std::string &pattern : patterns) {
    SMP_ASSIGN_OR_RETURN(Regex regex, Regex::compile(pattern));
    collection.regexes.push_back(std::move(regex));
    collection.includeRegex.push_back(pattern);
    collection.isSaved = true;
  }
  return Status();
}

Collection *Collections::find(std::string_view name) {
  const auto found =
      std::find_if(collections.begin(), collections.end(),
                   [&](const Collection &each) { return each.name == name; });
  return found == collections.end() ? nullptr : &*found;
}

void Collections::add(std::string_view tensor, std::string_view collection) {
  find(collection)->tensorNames.emplace(tensor);
}

StatusOr<std::vector<const Collection *>>
Collections::with(std::string_view tensor) {
  std::vector<const Collection *> having;
  for (Collection &collection : collections) {
    if (!collection.isSaved)
      continue;
    SMP_ASSIGN_OR_RETURN(
        const bool has,
        collection.has(tensor).in("the collection " + quote(collection.name)));
    if (!has)
      continue;
    collection.tensorNames.emplace(tensor);
    having.push_back(&collection);
  }
  return having;
}

std::vector<std::string>
Collections::savedWithout(std::initializer_list<std::string_view> names) const {
  std::vector<std::string> without;
  for (const Collection &collection : collections)
    if (collection.isSaved && collection.tensorNames.empty() &&
        std::ranges::count(names, collection.name) > 0)
      without.push_back(collection.name);
  return without;
}

Status Collections::checkFilled() const {
  for (const Collection &collection : collections)
    if (!findBuiltInCollection(collection.name) &&
        collection.includeRegex.empty() && collection.tensorNames.empty())
      return invalidArgument(
          "the collection " + quote(collection.name) +
          " has neither a regex nor a tensor; give it an include_regex, or a "
          "tensor, or take one of " +
          listNames(kBuiltInCollections, &BuiltInCollection::name));
  return Status();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static std::string stepsJson(const Collection &collection) {
  std::vector<JsonMember> modes;
  for (const ModeName &mode : kModeNames) {
    const StepSelection &steps = collection.steps[size_t(mode.mode) - 1];
    const std::string end =
        steps.endStep == kNoEndStep ? "null" : std::to_string(steps.endStep);
    modes.emplace_back(
        mode.event,
        jsonObject({{"save_interval", std::to_string(steps.saveInterval)},
                    {"save_steps", jsonList(steps.saveSteps)},
                    {"start_step", std::to_string(steps.startStep)},
                    {"end_step", end}}));
  }
  return jsonObject(modes);
}

/// What SageMaker Debugger does not have.
static bool isOurs(TensorReduction::Kind kind) {
  using Kind = TensorReduction::Kind;
  return kind == Kind::Quantile || kind == Kind::Nans || kind == Kind::Infs;
}

/// In the order in which readers make the same text again: of the elements
/// before of their absolutes, norms last. They refuse the names of ours.
static std::string reductionsJson(const ReductionConfig &config) {
  std::vector<std::string> names;
  for (const bool ofAbsolute : {false, true})
    for (const bool isNorm : {false, true})
      for (const TensorReduction &reduction : config.reductions)
        if (!isOurs(reduction.kind) && reduction.ofAbsolute == ofAbsolute &&
            (reduction.kind >= TensorReduction::Kind::L1) == isNorm)
          names.push_back(toString(reduction));
  return jsonObject({{"save_raw_tensor", jsonBoolean(config.saveRawTensor)},
                     {"reductions", jsonLiteral(join(names, ","))},
                     {"save_shape", jsonBoolean(config.saveShape)}});
}

std::string Collections::json(uint32_t workers) const {
  std::vector<JsonMember> members;
  for (const Collection &each : collections)
    members.emplace_back(
        each.name,
        jsonObject({{"name", jsonLiteral(each.name)},
                    {"include_regex", jsonList(each.includeRegex, jsonLiteral)},
                    {"tensor_names", jsonList(each.tensorNames, jsonLiteral)},
                    {"reduction_config", reductionsJson(each.reductions)},
                    {"save_config", stepsJson(each)},
                    {"save_histogram", jsonBoolean(each.saveHistogram)}}));
  return jsonObject(
      {{"collections", jsonObject(members)},
       {"_meta", jsonObject({{"num_workers", std::to_string(workers)}})}});
}

} // namespace smp
