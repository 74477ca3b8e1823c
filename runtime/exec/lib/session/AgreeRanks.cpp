// SPDX-License-Identifier: Apache-2.0
#include "AgreeRanks.h"

namespace smp {

/// Of what a rank says before it is known what may be said.
static constexpr size_t kMostOfferBytes = size_t(1) << 20;

/// Fields that end with a zero byte.
static std::string encode(const RankOffer &offer) {
  std::string text = offer.program + '\0' + offer.devices;
  text += '\0' + offer.kinds + '\0';
  for (const std::string &name : offer.wantedOutputs)
    text += name + '\0';
  return text;
}

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

static StatusOr<RankOffer> decode(std::span<const std::byte> bytes,
                                  const std::string &who) {
  if (bytes.size() > kMostOfferBytes)
    return dataLoss(who + " says what it opens in " +
                    std::to_string(bytes.size()) + " bytes; at most " +
                    std::to_string(kMostOfferBytes));
  const std::vector<std::string> fields = splitFields(bytes);
  if (fields.size() < 3)
    return unavailable(who + " opened its Session with another version of smp");
  return RankOffer{
      fields[0], fields[1], fields[2], {fields.begin() + 3, fields.end()}};
}

static Status checkSame(const RankOffer &theirs, const std::string &who,
                        const RankOffer &mine, uint32_t rank) {
  if (theirs.program != mine.program)
    return invalidArgument(who + " opened another program than rank " +
                           std::to_string(rank) +
                           "; give every rank the same file");
  if (theirs.devices != mine.devices)
    return invalidArgument(who + " was given devices " + theirs.devices +
                           ", but rank " + std::to_string(rank) + " " +
                           mine.devices);
  return Status();
}

StatusOr<std::vector<RankOffer>> agreeRanks(Communicator &communicator,
                                            uint64_t epoch, Deadline deadline,
                                            const RankOffer &mine,
                                            const LogSink &log) {
  const std::string text = encode(mine);
  if (text.size() > kMostOfferBytes)
    return invalidArgument("devices and wantedOutputs have " +
                           std::to_string(text.size()) + " bytes; at most " +
                           std::to_string(kMostOfferBytes));
  SMP_ASSIGN_OR_RETURN(auto all,
                       communicator
                           .allGather({"offers", {epoch, 0, 0}, deadline},
                                      std::as_bytes(std::span(text)))
                           .in("opening a Session"));
  const uint32_t rank = communicator.rank();
  std::vector<RankOffer> offers(communicator.size(), mine);
  for (uint32_t other = 0; other < communicator.size(); ++other) {
    if (other == rank)
      continue;
    const std::string who = "rank " + std::to_string(other);
    SMP_ASSIGN_OR_RETURN(auto offer, decode(all[other], who));
    SMP_RETURN_IF_ERROR(checkSame(offer, who, mine, rank));
    if (offer.kinds != mine.kinds && !offer.kinds.empty() &&
        !mine.kinds.empty())
      log(LogLevel::Warning, who + " has devices of kind " + offer.kinds +
                                 ", rank " + std::to_string(rank) + " of " +
                                 mine.kinds + ": numbers depend on the kind");
    offers[other] = std::move(offer);
  }
  return offers;
}

} // namespace smp
