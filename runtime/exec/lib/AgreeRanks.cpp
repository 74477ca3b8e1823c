// SPDX-License-Identifier: Apache-2.0
// Ranks make sure that they are about to run the same thing.
#include "OpenSession.h"

namespace smp {

/// Of what a rank says before it is known what may be said.
static constexpr size_t kMostOfferBytes = size_t(1) << 20;

/// Fields end with a zero byte.
static std::vector<std::string> splitFields(std::span<const std::byte> bytes) {
  std::vector<std::string> fields(1);
  for (std::byte byte : bytes) {
    if (byte == std::byte(0))
      fields.emplace_back();
    else
      fields.back() += char(byte);
  }
  fields.pop_back();
  return fields;
}

/// Program, devices, kinds of this rank's devices, outputs this rank wants.
std::string SessionOpener::makeOffer() const {
  std::string offer = std::to_string(state.runnable->fingerprint());
  offer += '\0' + state.options.devices;
  offer += '\0' + kinds + '\0';
  for (const std::string &name : state.options.wantedOutputs)
    offer += name + '\0';
  return offer;
}

Status SessionOpener::checkOffer(uint32_t from,
                                 std::span<const std::byte> bytes) {
  const std::string who = "rank " + std::to_string(from);
  if (bytes.size() > kMostOfferBytes)
    return dataLoss(who + " says what it opens in " +
                    std::to_string(bytes.size()) + " bytes; at most " +
                    std::to_string(kMostOfferBytes));
  const std::vector<std::string> offer = splitFields(bytes);
  if (offer.size() < 3)
    return unavailable(who + " opened its Session with another version of smp");
  if (offer[0] != std::to_string(state.runnable->fingerprint()))
    return invalidArgument(who + " opened another program than rank " +
                           std::to_string(rank) +
                           "; give every rank the same file");
  if (offer[1] != state.options.devices)
    return invalidArgument(who + " was given devices " + offer[1] +
                           ", but rank " + std::to_string(rank) + " " +
                           state.options.devices);
  if (offer[2] != kinds && !offer[2].empty() && !kinds.empty())
    state.log(LogLevel::Warning, who + " has devices of kind " + offer[2] +
                                     ", rank " + std::to_string(rank) + " of " +
                                     kinds + ": numbers depend on the kind");
  wanted[from].assign(offer.begin() + 3, offer.end());
  return Status();
}

Status SessionOpener::agreeWithOtherRanks() {
  Communicator *communicator = state.communicator();
  if (!communicator)
    return Status();
  const std::string offer = makeOffer();
  if (offer.size() > kMostOfferBytes)
    return invalidArgument("devices and wantedOutputs have " +
                           std::to_string(offer.size()) + " bytes; at most " +
                           std::to_string(kMostOfferBytes));
  auto all = communicator->allGather(
      {state.firstEpoch, 0, 0}, std::as_bytes(std::span(offer)),
      deadlineAfter(state.options.deadlineSeconds));
  if (!all.ok())
    return all.status().in("opening a Session");
  for (uint32_t from = 0; from < size; ++from)
    if (from != rank)
      SMP_RETURN_IF_ERROR(checkOffer(from, (*all)[from]));
  return Status();
}

/// Says how large each message of the plans is, before any comes: no rank runs
/// a step before all have opened their Sessions.
void SessionOpener::planMessages() {
  if (!state.communicator())
    return;
  std::vector<MessageSize> sizes;
  for (auto &entry : state.entries)
    for (const MessageSize &message : entry->plan().messages)
      sizes.push_back(message);
  for (uint32_t other = 0; other < size; ++other)
    for (uint64_t meeting : {gateKey(), readyKey()})
      sizes.push_back({other, meeting, 0});
  state.communicator()->planMessages(state.firstEpoch, sizes);
}

} // namespace smp
