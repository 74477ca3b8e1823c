// SPDX-License-Identifier: Apache-2.0
#include "Reception.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <cerrno>

namespace smp {

Reception::Reception(const Introduction &self, const LogSink &log)
    : guests(self.size), self(self), log(log), admitted(self.size) {}

/// Of a rank that has proved itself.
Verdict Reception::admit(uint32_t rank) {
  if (rank <= self.rank || rank >= self.size)
    return Verdict::NotAwaited;
  if (admitted[rank])
    return Verdict::CameTwice;
  admitted[rank] = true;
  return Verdict::Welcome;
}

//===----------------------------------------------------------------------===//
// Coming
//===----------------------------------------------------------------------===//

/// Those who are turned away go first, as they have been told.
bool Reception::dropOldest() {
  auto first = [&](auto which) {
    return std::find_if(newcomers.begin(), newcomers.end(), which);
  };
  auto oldest = first([](const Newcomer &one) { return one.turnedAway; });
  if (oldest == newcomers.end())
    oldest = first(
        [](const Newcomer &one) { return !one.talk.handshake().isWelcome(); });
  if (oldest == newcomers.end())
    return false;
  newcomers.erase(oldest);
  return true;
}

Status Reception::meet(Descriptor connection) {
  StatusOr<RawAddress> here = RawAddress::here(connection.get());
  std::string from = describeOtherEnd(connection);
  if (here.ok() && here->family() == AF_UNIX)
    if (Status user = checkUserOf(connection.get()); !user.ok()) {
      turnAway(from, user);
      return Status();
    }
  SMP_ASSIGN_OR_RETURN(Digest number, drawNumber());
  Talk talk(std::move(connection),
            Handshake::answer(self, number,
                              [this](uint32_t rank) { return admit(rank); }));
  newcomers.push_back({std::move(talk), std::move(from)});
  return Status();
}

Status Reception::acceptAll() {
  const size_t most = self.size + 64;
  // No more at a time, for those who are there to get on.
  for (size_t i = 0; i < most; ++i) {
    Descriptor connection = listener.accept();
    if (!connection.valid()) {
      const bool isFull = errno == EMFILE || errno == ENFILE;
      if (!isFull)
        return Status();
      if (!dropOldest())
        return resourceExhausted("the process has no more file descriptors to "
                                 "meet the other ranks with; raise ulimit -n");
      continue;
    }
    if (newcomers.size() >= most)
      dropOldest();
    SMP_RETURN_IF_ERROR(meet(std::move(connection)));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Being met
//===----------------------------------------------------------------------===//

void Reception::turnAway(const std::string &from, const Status &why) {
  constexpr size_t kToBeNamed = 4, kToBeLogged = 32;
  const std::string line = from + ": " + why.message();
  ++strangerCount;
  if (strangers.size() < kToBeNamed)
    strangers.push_back(line);
  if (log && strangerCount <= kToBeLogged)
    log(LogLevel::Warning, "turned away " + line);
}

StatusOr<bool> Reception::advance(Newcomer &newcomer) {
  if (newcomer.turnedAway)
    return false;
  const Status connected = newcomer.talk.advance();
  const Handshake &shake = newcomer.talk.handshake();
  if (!shake.over()) {
    if (connected.ok())
      return false;
    if (shake.isWelcome())
      return connected.in("rank " + std::to_string(shake.otherRank()));
    return true;
  }
  if (shake.status().ok()) {
    guests[shake.otherRank()] = {newcomer.talk.take(), shake.otherAddress()};
    return true;
  }
  if (!shake.byStranger())
    return shake.status();
  // Closed at once, what it was told could be lost.
  shutdown(newcomer.talk.socket().get(), SHUT_WR);
  newcomer.turnedAway = true;
  turnAway(newcomer.from, shake.status());
  return false;
}

Status Reception::advance() {
  if (listener.get() < 0)
    return Status();
  SMP_RETURN_IF_ERROR(acceptAll());
  for (size_t i = 0; i < newcomers.size();) {
    SMP_ASSIGN_OR_RETURN(const bool done, advance(newcomers[i]));
    if (done)
      newcomers.erase(newcomers.begin() + ptrdiff_t(i));
    else
      ++i;
  }
  return Status();
}

void Reception::addTo(std::vector<pollfd> &files) const {
  if (listener.get() >= 0)
    files.push_back({listener.get(), POLLIN, 0});
  for (const Newcomer &newcomer : newcomers)
    if (!newcomer.turnedAway)
      files.push_back(newcomer.talk.waitsFor());
}

std::string Reception::describeStrangers() const {
  std::string text;
  if (!strangers.empty())
    text = "; turned away " + join(strangers, ", ");
  if (strangerCount > strangers.size())
    text +=
        " and " + std::to_string(strangerCount - strangers.size()) + " others";
  const auto silent =
      std::count_if(newcomers.begin(), newcomers.end(),
                    [](const Newcomer &one) { return !one.turnedAway; });
  if (silent)
    text +=
        "; " + std::to_string(silent) + " connected without a whole greeting";
  return text;
}

} // namespace smp
