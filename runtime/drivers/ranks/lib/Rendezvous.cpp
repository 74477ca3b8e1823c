// SPDX-License-Identifier: Apache-2.0
#include "Rendezvous.h"
#include "Caller.h"
#include "Connection.h"
#include "FrameReader.h"
#include "Reception.h"
#include "smp/base/Lists.h"
#include <cstdio>

namespace smp {

namespace {

class Meeting {
public:
  explicit Meeting(const SocketOptions &options)
      : options(options), self(Introduction::of(options)),
        deadline(deadlineAfter(options.deadlineSeconds)),
        connections(options.size), reception(self, options.log) {}

  Status meetAll();
  std::vector<Descriptor> take() { return std::move(connections); }

private:
  using Kind = FrameHeader::Kind;

  Status host();
  Status join();
  StatusOr<std::vector<RawAddress>> find(const SocketAddress &address,
                                         Lookup lookup) const;
  StatusOr<std::string> listenBeside(const Descriptor &home);
  Status addCaller(uint32_t rank, const SocketAddress &address, Lookup lookup);
  Status waitForAll(uint32_t from);
  Status advance();
  Status watchGuests();
  std::vector<pollfd> files() const;
  std::string missing(uint32_t from) const;
  Status tooLate(const std::string &what) const;
  static Status sendText(const Descriptor &to, FrameHeader::Kind kind,
                         const std::string &text, Deadline until);
  Status sendTable();
  void tellGuests(const Status &why);
  StatusOr<std::vector<std::string>> receiveTable();
  StatusOr<MessageBytes> acceptFromHome(const FrameHeader &header) const;

  const SocketOptions &options;
  const Introduction self;
  const Deadline deadline;
  SocketAddress home;
  std::vector<Descriptor> connections; // By rank.
  Reception reception;
  std::vector<Caller> callers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Waiting for ranks
//===----------------------------------------------------------------------===//

/// One that came to rank 0 has nothing more to say before all have come.
Status Meeting::watchGuests() {
  if (options.rank != 0)
    return Status();
  std::vector<pollfd> watched(connections.size());
  for (size_t rank = 0; rank < watched.size(); ++rank)
    watched[rank] = {connections[rank].get(), POLLIN, 0};
  if (poll(watched.data(), watched.size(), 0) > 0)
    for (size_t rank = 0; rank < watched.size(); ++rank)
      if (watched[rank].revents)
        return unavailable("rank " + std::to_string(rank) +
                           " left before all ranks had met");
  return Status();
}

Status Meeting::advance() {
  SMP_RETURN_IF_ERROR(reception.advance());
  for (uint32_t rank = 0; rank < options.size; ++rank)
    if (reception.guests[rank].connection.valid())
      connections[rank] = std::move(reception.guests[rank].connection);
  for (size_t i = 0; i < callers.size();) {
    SMP_RETURN_IF_ERROR(callers[i].advance());
    if (!callers[i].hasMet()) {
      ++i;
      continue;
    }
    connections[callers[i].callee()] = callers[i].take();
    callers.erase(callers.begin() + ptrdiff_t(i));
  }
  return watchGuests();
}

std::vector<pollfd> Meeting::files() const {
  std::vector<pollfd> all;
  reception.addTo(all);
  for (const Caller &caller : callers)
    if (std::optional<pollfd> file = caller.waitsFor())
      all.push_back(*file);
  for (const Descriptor &connection : connections)
    if (options.rank == 0 && connection.valid())
      all.push_back({connection.get(), POLLIN, 0});
  return all;
}

/// Until the ranks from `from` on are here, and those that are called.
Status Meeting::waitForAll(uint32_t from) {
  constexpr int kOften = 20, kSeldom = 1000; // Milliseconds.
  while (true) {
    SMP_RETURN_IF_ERROR(advance());
    if (missing(from).empty())
      return Status();
    if (isPast(deadline))
      return tooLate("rank " + missing(from) + reception.describeStrangers());
    std::vector<pollfd> waited = files();
    poll(waited.data(), waited.size(),
         pollTime(deadline, callers.empty() ? kSeldom : kOften));
  }
}

std::string Meeting::missing(uint32_t from) const {
  std::vector<std::string> all;
  for (const Caller &caller : callers)
    all.push_back(caller.describe());
  for (uint32_t rank = from; rank < options.size; ++rank)
    if (!connections[rank].valid())
      all.push_back(std::to_string(rank));
  return smp::join(all, ", ");
}

Status Meeting::tooLate(const std::string &what) const {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", options.deadlineSeconds);
  return Status(StatusCode::DeadlineExceeded,
                "rank " + std::to_string(options.rank) + " of " +
                    std::to_string(options.size) + " waited " + seconds +
                    " seconds at " + options.address + " for " + what);
}

//===----------------------------------------------------------------------===//
// Rank 0
//===----------------------------------------------------------------------===//

Status Meeting::sendText(const Descriptor &to, Kind kind,
                         const std::string &text, Deadline until) {
  const FrameHeader header{kind, {}, text.size()};
  return sendFrame(to.get(), header, std::as_bytes(std::span(text)), until);
}

Status Meeting::sendTable() {
  std::string table;
  for (const Reception::Guest &guest : reception.guests)
    table += guest.address + "\n";
  for (uint32_t rank = 1; rank < options.size; ++rank)
    SMP_RETURN_IF_ERROR(
        sendText(connections[rank], Kind::Table, table, deadline)
            .in("telling rank " + std::to_string(rank) +
                " where the others are"));
  return Status();
}

/// So that they end with the same error, at once.
void Meeting::tellGuests(const Status &why) {
  for (const Descriptor &connection : connections)
    if (connection.valid())
      (void)sendText(connection, Kind::Failure, encodeFailure(why),
                     deadlineAfter(1));
}

Status Meeting::host() {
  SMP_ASSIGN_OR_RETURN(std::vector<RawAddress> found,
                       find(home, Lookup::ToListen));
  SMP_ASSIGN_OR_RETURN(Listener listener, Listener::openFirst(found));
  reception.openAt(std::move(listener));
  Status status = waitForAll(1);
  if (status.ok())
    return sendTable();
  tellGuests(status);
  return status;
}

//===----------------------------------------------------------------------===//
// Other ranks
//===----------------------------------------------------------------------===//

Status Meeting::addCaller(uint32_t rank, const SocketAddress &address,
                          Lookup lookup) {
  SMP_ASSIGN_OR_RETURN(std::vector<RawAddress> found, find(address, lookup));
  const bool isListener = rank == 0 && options.rank + 1 < options.size;
  callers.emplace_back(self, rank, address, std::move(found),
                       isListener
                           ? Caller::OwnAddress([this](auto &connection) {
                               return listenBeside(connection);
                             })
                           : nullptr);
  return Status();
}

/// Where the ranks above this one reach it: at the same address that rank 0
/// does.
StatusOr<std::string> Meeting::listenBeside(const Descriptor &connection) {
  SocketAddress mine = home;
  mine.host += "." + std::to_string(options.rank);
  if (reception.at().get() < 0) {
    SMP_ASSIGN_OR_RETURN(Listener made,
                         mine.isUnix
                             ? Listener::open(RawAddress::ofPath(mine.host))
                             : Listener::openBeside(connection));
    reception.openAt(std::move(made));
  }
  if (mine.isUnix)
    return mine.text();
  SMP_ASSIGN_OR_RETURN(SocketAddress address, reception.at().address());
  return address.text();
}

StatusOr<MessageBytes>
Meeting::acceptFromHome(const FrameHeader &header) const {
  const uint64_t most = header.kind == Kind::Table
                            ? uint64_t(options.size) * (Proof::kMostAddress + 1)
                        : header.kind == Kind::Failure
                            ? FrameHeader::kMostFailureBytes
                            : 0;
  if (most == 0 || header.bytes > most)
    return dataLoss("rank 0 sent something else than where the ranks are");
  return MessageBytes(header.bytes);
}

StatusOr<std::vector<std::string>> Meeting::receiveTable() {
  const int socket = connections[0].get();
  FrameReader reader(
      [this](const FrameHeader &header) { return acceptFromHome(header); });
  for (bool whole = false; !whole;) {
    if (isPast(deadline))
      return tooLate("rank 0 to have met all ranks");
    pollfd ready{socket, POLLIN, 0};
    poll(&ready, 1, pollTime(deadline, 1000));
    StatusOr<size_t> got = receiveSome(socket, reader.room());
    if (!got.ok())
      return unavailable("rank 0 ended before all ranks had met");
    SMP_ASSIGN_OR_RETURN(whole, reader.filled(*got));
  }
  const MessageBytes bytes = reader.takeBytes();
  if (reader.header().kind == Kind::Failure)
    return decodeFailure(bytes).in("rank 0");
  std::vector<std::string> lines(1);
  for (std::byte byte : bytes) {
    if (char(byte) == '\n')
      lines.emplace_back();
    else
      lines.back() += char(byte);
  }
  lines.resize(options.size);
  return lines;
}

Status Meeting::join() {
  SMP_RETURN_IF_ERROR(addCaller(0, home, Lookup::ToConnect));
  SMP_RETURN_IF_ERROR(waitForAll(options.size));
  SMP_ASSIGN_OR_RETURN(std::vector<std::string> addresses, receiveTable());
  for (uint32_t rank = 1; rank < options.rank; ++rank) {
    SMP_ASSIGN_OR_RETURN(
        SocketAddress other,
        SocketAddress::parse(addresses[rank])
            .in("where rank 0 says that rank " + std::to_string(rank) + " is"));
    SMP_RETURN_IF_ERROR(addCaller(rank, other, Lookup::Numbers));
  }
  return waitForAll(options.rank + 1);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static Status checkOptions(const SocketOptions &options) {
  SMP_RETURN_IF_ERROR(checkDeadline(options.deadlineSeconds));
  if (options.size == 0 || options.rank >= options.size)
    return invalidArgument("rank " + std::to_string(options.rank) + " of " +
                           std::to_string(options.size) +
                           " does not exist; ranks are 0 to size - 1");
  if (options.size > kMostRanks)
    return invalidArgument("there are to be " + std::to_string(options.size) +
                           " ranks; at most " + std::to_string(kMostRanks));
  if (!options.secret.empty() && options.secret.size() < kLeastSecretBytes)
    return invalidArgument("the secret of the ranks has " +
                           std::to_string(options.secret.size()) +
                           " bytes; it must have " +
                           std::to_string(kLeastSecretBytes) + " or more");
  return Status();
}

/// All that the address may be; an error when ranks may not meet at one of
/// them.
StatusOr<std::vector<RawAddress>> Meeting::find(const SocketAddress &address,
                                                Lookup lookup) const {
  StatusOr<std::vector<RawAddress>> found = resolve(address, lookup);
  if (!found.ok() || !options.secret.empty() || options.allowNoSecret)
    return found;
  for (const RawAddress &raw : *found)
    if (!raw.isOfThisMachine())
      return failedPrecondition(
          raw.readable().text() +
          " reaches beyond this machine, where without a secret whoever "
          "reaches a rank can be one of them; give every rank the same secret, "
          "or allow that there is none");
  return found;
}

Status Meeting::meetAll() {
  SMP_ASSIGN_OR_RETURN(home, SocketAddress::parse(options.address));
  return options.rank == 0 ? host() : join();
}

StatusOr<std::vector<Descriptor>> meet(const SocketOptions &options) {
  SMP_RETURN_IF_ERROR(checkOptions(options));
  if (options.size == 1)
    return std::vector<Descriptor>(1);
  Meeting meeting(options);
  SMP_RETURN_IF_ERROR(meeting.meetAll());
  return meeting.take();
}

} // namespace smp
