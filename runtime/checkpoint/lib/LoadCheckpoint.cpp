// SPDX-License-Identifier: Apache-2.0
#include "LoadCheckpoint.h"
#include "MatchCheckpoint.h"
#include "smp/base/Lists.h"
#include "smp/exec/IncomingValues.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace smp {

using Item = CheckpointManifest::Item;

/// A checkpoint's files, and what is to be set to what they hold.
class Loader {
public:
  Loader(CheckpointReader opened, const LogSink &log)
      : reader(std::move(opened)), log(log) {}

  const CheckpointManifest &contents() const { return reader.manifest(); }
  const RestoreReport &report() const { return match.report; }

  /// When a file is damaged, says of all files what is wrong.
  Status check(const Checkpoint &checkpoint, const std::string &path,
               bool expectPartial) {
    const Status found = checkAndRead(checkpoint, path, expectPartial);
    if (found.code() != StatusCode::DataLoss &&
        found.code() != StatusCode::Unavailable)
      return found;
    const Status damage = reader.verify();
    return damage.ok() ? found : damage;
  }

  Status apply() {
    for (auto &[session, part] : parts)
      if (Status status = session->writeSnapshot(std::move(*part.values),
                                                 part.elsewhere, part.steps);
          !status.ok())
        return status.in("restore() was cut short, call it again");
    for (const ReadValue &value : values)
      value.value->restore(value.view());
    for (auto &[part, bytes] : slices)
      std::ranges::copy(bytes, part->bytes.begin());
    return Status();
  }

  void sayLeftOut(const Checkpoint &checkpoint) const {
    const auto roots = unnamedRoots(match.report, checkpoint);
    if (!roots.empty())
      say("has the roots " + listNames(roots) +
          ", which were not restored: the Checkpoint does not name them");
  }

  /// Where results may differ from those of the devices that it is from.
  void sayOtherDevices() const {
    std::set<std::string> said;
    for (const CheckpointMatch::Variables &matched : match.sessions) {
      const std::string kinds = kindsOf(*matched.root->session());
      if (!kinds.empty() && kinds != matched.saved->kinds &&
          said.insert(kinds).second)
        sayWhere(matched.saved->kinds, kinds);
      const uint32_t revision = matched.saved->kernelRevision;
      if (revision && revision != SMP_KERNEL_ABI_VERSION &&
          said.insert("revision").second)
        sayWhere("kernels of revision " + std::to_string(revision),
                 std::to_string(SMP_KERNEL_ABI_VERSION));
    }
  }

private:
  Status checkAndRead(const Checkpoint &checkpoint, const std::string &path,
                      bool expectPartial) {
    SMP_ASSIGN_OR_RETURN(match, matchCheckpoint(checkpoint, contents(), path));
    for (const CheckpointMatch::Value &value : match.values)
      SMP_RETURN_IF_ERROR(readValue(value));
    SMP_RETURN_IF_ERROR(checkMatch(match.report, checkpoint, expectPartial));
    SMP_RETURN_IF_ERROR(takeVariables());
    for (const CheckpointMatch::Value &value : match.inParts)
      SMP_RETURN_IF_ERROR(takeParts(value));
    return reader.read(wanted);
  }

  void say(const std::string &what) const {
    log(LogLevel::Warning, "checkpoint '" + match.report.path + "' " + what);
  }

  void sayWhere(const std::string &before, const std::string &now) const {
    say("was saved on " + before + " and goes on on " + now +
        ": results may differ in their last bits");
  }

  Status takeVariables() {
    std::map<SessionCore *, std::vector<const Item *>> items;
    for (const CheckpointMatch::Variables &matched : match.sessions) {
      SessionCore *session = matched.root->session();
      SessionPart &part = parts[session];
      part.steps = matched.saved->steps;
      for (const auto &[variable, item] : matched.variables)
        if (variable.isNeeded) {
          part.names.push_back(variable.variable);
          items[session].push_back(item);
        } else {
          part.elsewhere.push_back(variable.variable);
        }
    }
    for (auto &[session, part] : parts) {
      SMP_ASSIGN_OR_RETURN(part.values,
                           IncomingValues::make(*session, part.names));
      for (size_t i = 0; i < part.names.size(); ++i) {
        const Item *item = items[session][i];
        wanted.push_back(
            {item, wholeOf(item->type.shape), part.values->bytes(i)});
      }
    }
    return Status();
  }

  /// What the value refuses is for the report.
  Status readValue(const CheckpointMatch::Value &matched) {
    const Item &item = *matched.item;
    ReadValue &read =
        values.emplace_back(matched.root->value(), &item.type,
                            std::vector<std::byte>(size_t(item.type.bytes())));
    const CheckpointReader::Wanted all{&item, wholeOf(item.type.shape),
                                       read.bytes};
    SMP_RETURN_IF_ERROR(reader.read({&all, 1}));
    if (Status status = read.value->check(read.view()); !status.ok()) {
      std::erase(match.report.matched, matched.root->name());
      match.report.refused.push_back({matched.root->name(), status.message()});
    }
    return Status();
  }

  /// The slices that devices of this process have, and no others.
  Status takeParts(const CheckpointMatch::Value &matched) {
    ShardedValue &value = *matched.root->sharded();
    if (const auto wrong = checkValue(value))
      return invalidArgument("value '" + matched.root->name() + "': " + *wrong);
    const std::vector<int64_t> &ids = value.layout.mesh().localDeviceIds();
    for (size_t i = 0; i < ids.size(); ++i) {
      HostTensor &part = value.parts[i];
      std::vector<std::byte> &bytes =
          slices.emplace_back(&part, part.bytes.size()).second;
      wanted.push_back({matched.item,
                        shardOf(value.layout, value.type.shape, ids[i]),
                        bytes});
    }
    return Status();
  }

  /// What a Session is to be set to.
  struct SessionPart {
    std::vector<std::string> names; // Of the values.
    std::optional<IncomingValues> values;
    std::vector<std::string_view> elsewhere; // Other ranks set them.
    StepCounts steps{};
  };
  struct ReadValue {
    Saveable *value;
    const TensorType *type;
    std::vector<std::byte> bytes;

    TensorView view() const { return {type->dtype, type->shape, bytes.data()}; }
  };

  CheckpointReader reader;
  const LogSink &log;
  CheckpointMatch match; // Has the names of what is read.
  std::map<SessionCore *, SessionPart> parts;
  std::vector<ReadValue> values;
  std::vector<std::pair<HostTensor *, std::vector<std::byte>>> slices;
  std::vector<CheckpointReader::Wanted> wanted;
};

CheckpointLoader::CheckpointLoader(const Checkpoint &checkpoint,
                                   std::string path, FileSystem &files,
                                   const LogSink &log, bool expectPartial)
    : checkpoint(checkpoint), path(std::move(path)), files(files), log(log),
      expectPartial(expectPartial) {}
CheckpointLoader::~CheckpointLoader() = default;

Status CheckpointLoader::check() {
  SMP_ASSIGN_OR_RETURN(CheckpointReader reader,
                       CheckpointReader::open(path, files));
  loader = std::make_unique<Loader>(std::move(reader), log);
  return loader->check(checkpoint, path, expectPartial);
}

std::string CheckpointLoader::identity() const {
  const std::string text = formatCheckpointManifest(loader->contents());
  return std::to_string(crc32c(std::as_bytes(std::span(text))));
}

uint64_t CheckpointLoader::bytes() const {
  uint64_t sum = 0;
  for (const CheckpointManifest::File &file : loader->contents().files)
    sum += file.digest.size;
  return sum;
}

Status CheckpointLoader::apply() {
  SMP_RETURN_IF_ERROR(loader->apply());
  if (!expectPartial) // Who expects it has the report.
    loader->sayLeftOut(checkpoint);
  loader->sayOtherDevices();
  return Status();
}

const RestoreReport &CheckpointLoader::report() const {
  return loader->report();
}

} // namespace smp
